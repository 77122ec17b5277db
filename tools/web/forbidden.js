// Finds what no page of Hub may have: text that becomes markup or a program, and what the Content-Security-Policy
// of the portal would refuse. A line that must have one says why behind "allowed:".
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const rules = {
  js: [
    [/\b(?:innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe)\b/, 'text becomes markup'],
    [/\bdocument\.write/, 'text becomes markup'],
    [/\b(?:eval|Function)\s*\(|\bset(?:Timeout|Interval)\s*\(\s*['"`]/, 'text becomes a program'],
    [/setAttribute\(\s*['"`](?:on|style)/, 'the policy refuses inline handlers and styles'],
    [/\bimport\s*\(?\s*['"`](?!\.)|\bfrom\s+['"`](?!\.[^'"`]*\.js['"`])/, 'imports are relative and name a file'],
    [/@ts-(?:ignore|nocheck|expect-error)/, 'types are checked everywhere'],
    [/\b(?:localStorage|sessionStorage)\b.*[Tt]oken/, 'tokens are not kept'],
  ],
  html: [
    [/\son\w+\s*=/i, 'the policy refuses inline handlers'],
    [/\sstyle\s*=|<style/i, 'the policy refuses inline styles'],
    [/<script(?![^>]*\ssrc=)/i, 'the policy refuses inline scripts'],
    [/(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i, 'nothing comes from elsewhere'],
    [/javascript:/i, 'the policy refuses such addresses'],
  ],
  css: [
    [/@import|url\(\s*["']?(?:https?:)?\/\//i, 'nothing comes from elsewhere'],
    [/expression\s*\(|-moz-binding/i, 'text becomes a program'],
  ],
};

let found = 0;
for (const folder of process.argv.slice(2)) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const rule = rules[/** @type {keyof rules} */ (name.split('.').pop())];
    if (!rule || /(?:^|\/)(?:node_modules|test|types)\//.test(name)) continue;
    for (const [index, line] of readFileSync(join(folder, name), 'utf8').split('\n').entries()) {
      if (line.includes('allowed:')) continue;
      for (const [pattern, reason] of rule) {
        if (!pattern.test(line)) continue;
        console.error(`${join(folder, name)}:${index + 1}: ${reason}: ${line.trim()}`);
        found++;
      }
    }
  }
}
process.exit(found > 0 ? 1 : 0);
