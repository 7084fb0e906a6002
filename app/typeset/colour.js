// What Prism makes of code, as spans: begin, end and colour of each, one behind the other, in UTF-16 units.
(function () {
    "use strict";
    // Prism's names of tokens by the colours of the window; a token of another name has that of what it stands in.
    const named = {
        comment: ["comment", "prolog", "doctype", "cdata", "shebang", "blockquote"],
        string: ["string", "char", "attr-value", "template-string", "url", "regex", "triple-quoted-string",
                 "heredoc-string", "code"],
        keyword: ["keyword", "atrule", "important", "tag", "selector", "directive", "control-flow", "bold", "title"],
        number: ["number", "boolean", "constant", "symbol", "null", "nil", "date", "time", "hexcode"],
        name: ["function", "method", "function-definition", "macro"],
        type: ["class-name", "type", "builtin", "namespace", "type-definition", "section", "table"],
        variable: ["property", "attr-name", "variable", "parameter", "key"],
        added: ["inserted", "inserted-sign"],
        removed: ["deleted", "deleted-sign"],
        none: ["interpolation", "template-punctuation"]
    };
    const colours = {};
    for (const colour in named)
        named[colour].forEach(function (name) { colours[name] = colour; });

    function colourOf(token, outer) {
        const names = [token.type].concat(token.alias || []);
        for (let i = 0; i < names.length; ++i)
            if (Object.prototype.hasOwnProperty.call(colours, names[i]))
                return colours[names[i]];
        return outer;
    }

    function add(token, outer, spans, at) {
        if (typeof token === "string") {
            if (outer !== "none" && token.length > 0)
                spans.push(at, at + token.length, outer);
            return at + token.length;
        }
        const colour = colourOf(token, outer);
        const inside = Array.isArray(token.content) ? token.content : [token.content];
        for (let i = 0; i < inside.length; ++i)
            at = add(inside[i], colour, spans, at);
        return at;
    }

    return function (language, code) {
        const grammar = Object.prototype.hasOwnProperty.call(Prism.languages, language)
            ? Prism.languages[language] : null;
        const spans = [];
        if (grammar === null || typeof grammar === "function")
            return spans;
        let at = 0;
        Prism.tokenize(code, grammar).forEach(function (token) { at = add(token, "none", spans, at); });
        return spans;
    };
})()
