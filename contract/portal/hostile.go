package portal

import (
	"slices"
	"strings"
)

// HostileTargets are values of the parameter to that must not lead anywhere, for an app whose entry URL has the
// path /in/. Each would lead some reader of URLs to another host, above that path, or astray.
func HostileTargets() []string {
	all := []string{
		// Other hosts.
		"https://evil.example/in/", "http://evil.example", "//evil.example/in/", "///evil.example/in/", "////evil.example", "https:evil.example",
		"https:/evil.example", "https:///evil.example/in/", "HTTPS://evil.example/in/", "/\\evil.example/in/", "\\\\evil.example/in/", "\\/evil.example/in/",
		"/\\/evil.example/in/", "//\\evil.example", "\\evil.example/in/", "evil.example/in/", "@evil.example/in/", ".evil.example/in/", ":443@evil.example/in/",
		":8443/in/", "%2f%2fevil.example/in/", "/%2fevil.example/in/", "/%2Fevil.example", "/%5cevil.example/in/", "/%252fevil.example", "%5c%5cevil.example",
		"//evil.example%2fin/", "//evil.example:443/in/", "//in/", "//in@evil.example/in/", "//[::1]/in/", "//2130706433/in/",
		"/;//evil.example", "/?/in/", "?to=/in/", "/in", "/in//evil.example", "/in///evil.example", "/in/%2f/evil.example", "/in/%2fevil.example",
		"/in/\\evil.example", "/in/%5c%5cevil.example", "/in/%255cevil.example", "/in/x//", "/in/x%2f%2fy",
		// Other schemes.
		"javascript:alert(1)", "JAVASCRIPT:alert(1)//in/", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd",
		"blob:https://evil.example/1", "about:blank", "view-source:https://evil.example", "intent://evil.example#Intent;end", "mailto:a@evil.example", " javascript:alert(1)",
		// Above the app, however it is written, and however often it is decoded.
		"/", "/admin", "/in/..", "/in/../", "/in/../admin", "/in/./../admin", "/in/x/../../admin", "/in/x/..", "/in/.", "/in/./", "/in/./x",
		"/in/%2e%2e/admin", "/in/%2E%2E/admin", "/in/.%2e/admin", "/in/%2e./admin", "/in/%2e/admin", "/in/%2e%2e%2fadmin", "/in/..%2fadmin", "/in/..%2Fadmin",
		"/in/%252e%252e/admin", "/in/%252e%252e%252fadmin", "/in/%25252e%25252e/admin", "/in/%2525252e%2525252e%2525252fadmin", "/in/..%252fadmin", "/in/%25%32%65%25%32%65/admin",
		"/in/%25%252e%252e/x/%252e%252e", "/in/..;/admin", "/in/..;x=1/admin", "/in/.;/admin", "/in/%2e%2e;/admin", "/in/..%3b/admin", "/in/%252e%252e%253b/admin", "/in/;/admin",
		"/in/..\\admin", "/in/..%5cadmin", "/in/..%255cadmin", "/in/%2e%2e%5cadmin", "/in\\..\\admin", "/in/.. /admin", "/in/..%20/admin", "/in/.%20./admin/..", "/in/.../admin",
		"/in/..%00/admin", "/in/%c0%ae%c0%ae/admin", "/in/%c0%af..%c0%afadmin", "/in/%e0%80%ae%e0%80%ae/admin", "/in/%ff", "/in/%25ff",
		"/in%2f", "/in%2f..%2fadmin", "/in%2f%2e%2e", "/%69n/", "/IN/x", "/In/", "/inn/", "/in.evil/", "/in%00/", "/x/in/", "/./in/", "/x/../in/", "/%2e/in/",
		// Characters that browsers skip, that end a header, or that some take for others.
		"/\t/evil.example/in/", "/\n/evil.example", "/\r\n/evil.example", "\t//evil.example", " //evil.example", "/in/\t", "/in/\r\nSet-Cookie: a=b", "/in/%0d%0aSet-Cookie:%20a=b",
		"/in/%0a", "/in/%00", "/in/%2500", "/in/%7f", "/in/%c2%85", "/in/\x00", "/in/\x7f", "/in/x\u0085", "/in/\u2028", "/in/\ufeff", "\u2028/in/", "/in/ü", "/in/\uff0e\uff0e/admin",
		"\uff0f\uff0fevil.example", "/\u3002\u3002/", "/in/ x", "/in/\"x", "/in/<x>", "/in/x|y", "/in/{x}", "/in/^", "/in/`x`", "/in/[x]", " /in/", "/in/ ", "/in/\xff",
		// Fragments, and escapes that are none.
		"/in/#", "/in/#/../x", "/in/x#@evil.example", "#/in/", "/in/?a#b", "/in/%", "/in/%2", "/in/%zz", "/in/%u002e", "/in/x%", "/in/?a=%", "/in/?a=%g0",
		// Queries.
		"/in/?a=\\", "/in/?a= b", "/in/?a=\t", "/in/?a=\r\nb", "/in/?a=<script>", "/in/?\"", "/in/?a=\u00fc", "/in/?a=\x00", "/in/?a={b}", "/in/?a=b|c",
		// Length.
		"/in/" + strings.Repeat("x", 2048), "/in/?" + strings.Repeat("x", 2048), "/in/" + strings.Repeat("%25", 700),
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HostileEntries are entry URLs that no app may have.
func HostileEntries() []string {
	return []string{
		"", " ", "/", "//app.example/", "app.example/", "https:app.example/", "https:/app.example/", "https:///app.example/", "https://", "https:///",
		"http://app.example/", "http://127.0.0.1.app.example/", "http://localhost.app.example/", "http://10.0.0.1/", "http://0.0.0.0/", "http://[::]/", "http://127.1/", "http://0x7f.0.0.1/",
		"http://2130706433/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://LOCALHOST/", "http://localhost./", "http://[::1%25lo]/", "http://[0:0:0:0:0:0:0:1]/",
		"http://localhost@app.example/", "https://user@app.example/", "https://user:secret@app.example/", "https://@app.example/", "https://app.example@evil.example/", "https://app.example%40evil.example/", "https://app.example:@evil.example/",
		"https://app.example\\@evil.example/", "https://app.example\\evil/", "https:\\\\app.example/", "https:/\\app.example/", "https://app.example#/", "https://app.example?/", "https://app.example/?x/", "https://app.example/#/", "https://app.example/x/?", "https://app.example/x/#",
		"javascript:alert(1)//", "javascript://app.example/%0aalert(1)/", "data:text/html,x/", "file:///etc/", "ftp://app.example/", "ws://localhost/", "wss://app.example/", "blob:https://app.example/", "about://app.example/", "intent://app.example/",
		"HTTPS://app.example/", "https://APP.example/", "https://app.example", "https://app.example/x", "https://app.example/x/y", "https://app.example:443/", "http://localhost:80/", "https://app.example:/", "https://app.example:0/", "https://app.example:0443/",
		"https://app.example:65536/", "https://app.example:99999999999/", "https://app.example:x/", "https://app.example:-1/", "https://app.example:+1/", "https://app.example:8443:1/", "https://app..example/", "https://.app.example/", "https://app.example./", "https://-app.example/", "https://app-.example/",
		"https://app_.exa mple/", "https://app.example /", " https://app.example/", "https://app.example/ ", "https://app.example/\t", "https://app\t.example/", "https://app.example\n/", "h\nttps://app.example/", "https://app.example/\r\nSet-Cookie: a=b/", "https://app%2eexample/", "https://%61pp.example/",
		"https://ap\u00fc.example/", "https://xn--/", "https://xn--a/", "https://xn--99999999.example/", "https://app\u3002example/", "https://app\uff0eexample/", "https://app\u00adx.example/", "https://\uff41pp.example/", "https://app.example\uff0f/", "https://app.example\u2044x/",
		"https://0x7f/", "https://127.1/", "https://256.256.256.256/", "https://1.2.3/", "https://1.2.3.4.5/", "https://01.2.3.4/", "https://app.0x1/", "https://app.1/", "https://[::1/", "https://::1/", "https://[::1]x/", "https://[app.example]/", "https://[1.2.3.4]/", "https://[FE80::1]/",
		"https://app.example/../", "https://app.example/./", "https://app.example/x/../", "https://app.example/%2e%2e/", "https://app.example/%2e/", "https://app.example/..%2f/", "https://app.example/%252e%252e/", "https://app.example//", "https://app.example//evil.example/", "https://app.example/x//", "https://app.example/%2f/",
		"https://app.example/\\/", "https://app.example/%5c/", "https://app.example/..;/", "https://app.example/;/", "https://app.example/%00/", "https://app.example/%0d%0a/", "https://app.example/%/", "https://app.example/%zz/", "https://app.example/%ff/", "https://app.example/\u00fc/", "https://app.example/<x>/", "https://app.example/\"/", "https://app.example/ x/", "https://app.example/x y/",
		"https://app.example/\x00/", "https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("abcdefg.", 40) + "example/", "https://app.example/" + strings.Repeat("x", 2048) + "/",
	}
}

// HostileQueries are queries of a target that some reader would take a ticket from that Hub did not make.
func HostileQueries() []string {
	return []string{
		"ticket=x", "ticket", "ticket=", "a=b&ticket=x", "ticket=x&a=b", "ticket=x&ticket=y", "a=b;ticket=x", "TICKET=x", "Ticket=x", "tIcKeT=x", "%74icket=x", "%74%69%63%6b%65%74=x", "tick%65t=x",
		"%2574icket=x", "%252574icket=x", "ticket%3dx", "ticket%3Dx", "ticket%253Dx", "a=b%26ticket=x", "a=b%26ticket%3Dx", "a%3Db%2526ticket%3Dx", "+ticket=x", "%20ticket=x", "ticket+=x", "ticket%20=x", "ticket%00=x", "ticket%00a=x", "%00ticket=x", "ticket[]=x", "ticket%5b%5d=x", "ticket[0]=x", "ticket[a]=x",
		"?ticket=x", "%3fticket=x", "&ticket=x", "&&ticket=x", ";ticket=x", "%26ticket=x", "%3bticket=x", "/ticket=x&ticket=y", "a=b&%54ICKET=x", "ticket.=x", "%09ticket=x", "%0aticket=x", "ticket%0d=x", "%c2%a0ticket=x", "%ef%bb%bfticket=x", "=&ticket=x", "ticket;a=b", "ticket:=x",
	}
}
