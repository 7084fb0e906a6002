// Draws a formula: typeset(tex, display) → {svg, width, ascent, depth}, lengths in ex of the text around it, or
// {error}. What MathJax makes of a formula is written out by a list of elements and attributes that Qt's SVG Tiny
// draws: a formula was written by a model, and nothing else of it leaves this file.
"use strict";

require("./flat_attributes.js");
const {mathjax} = require("mathjax-full/js/mathjax.js");
const {TeX} = require("mathjax-full/js/input/tex.js");
const {SVG} = require("mathjax-full/js/output/svg.js");
const {liteAdaptor} = require("mathjax-full/js/adaptors/liteAdaptor.js");
const {RegisterHTMLHandler} = require("mathjax-full/js/handlers/html.js");
require("mathjax-full/js/input/tex/base/BaseConfiguration.js");
require("mathjax-full/js/input/tex/ams/AmsConfiguration.js");
require("mathjax-full/js/input/tex/amscd/AmsCdConfiguration.js");
require("mathjax-full/js/input/tex/bbox/BboxConfiguration.js");
require("mathjax-full/js/input/tex/boldsymbol/BoldsymbolConfiguration.js");
require("mathjax-full/js/input/tex/braket/BraketConfiguration.js");
require("mathjax-full/js/input/tex/cancel/CancelConfiguration.js");
require("mathjax-full/js/input/tex/cases/CasesConfiguration.js");
require("mathjax-full/js/input/tex/centernot/CenternotConfiguration.js");
require("mathjax-full/js/input/tex/color/ColorConfiguration.js");
require("mathjax-full/js/input/tex/enclose/EncloseConfiguration.js");
require("mathjax-full/js/input/tex/extpfeil/ExtpfeilConfiguration.js");
require("mathjax-full/js/input/tex/gensymb/GensymbConfiguration.js");
require("mathjax-full/js/input/tex/mathtools/MathtoolsConfiguration.js");
require("mathjax-full/js/input/tex/mhchem/MhchemConfiguration.js");
require("mathjax-full/js/input/tex/newcommand/NewcommandConfiguration.js");
require("mathjax-full/js/input/tex/textcomp/TextcompConfiguration.js");
require("mathjax-full/js/input/tex/textmacros/TextMacrosConfiguration.js");
require("mathjax-full/js/input/tex/upgreek/UpgreekConfiguration.js");
require("mathjax-full/js/input/tex/verb/VerbConfiguration.js");

const kMaxTex = 4000;      // UTF-16 units
const kMaxWidth = 400;     // ex
const kMaxHeight = 300;    // ex
const kMaxArea = 20000;    // square ex: about 1,400 × 1,000 pixels
const kMaxSvg = 400000;    // characters
const kMaxElements = 20000;
const kForeign = 0.82;     // the computer's fonts have taller letters at the same size
const kEx = 442 / 1000;    // height of an x of MathJax's font, in em; it draws 1,000 units to the em

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const tex = new TeX({
    packages: ["base", "ams", "amscd", "bbox", "boldsymbol", "braket", "cancel", "cases", "centernot",
               "color", "enclose", "extpfeil",
        "gensymb", "mathtools", "mhchem", "newcommand", "textcomp", "textmacros", "upgreek", "verb"],
    maxMacros: 1000,
    maxBuffer: 5 * 1024,
    formatError: function (jax, error) { throw error; }
});
const output = new SVG({fontCache: "none", internalSpeechTitles: false});
// Letters that its fonts lack come from the computer's; their heights are not known here, and some have accents.
const measured = output.measureTextNode.bind(output);
output.measureTextNode = function (text) { return Object.assign(measured(text), {h: 1, d: 0.25}); };
const page = mathjax.document("", {InputJax: tex, OutputJax: output});

// The number of an equation stands beside its row, as a column of its own: MathJax would lay it at the edge of a page.
tex.postFilters.add(function (filtered) {
    const create = function (kind, children) { return filtered.data.nodeFactory.create("node", kind, children); };
    filtered.data.root.walkTree(function (node) {
        if (node.kind !== "mtable" || !node.childNodes.some(function (row) { return row.kind === "mlabeledtr"; }))
            return;
        const numCells = function (row) { return row.childNodes.length - (row.kind === "mlabeledtr" ? 1 : 0); };
        // Columns are aligned right and left in turns.
        const numColumns = 2 * Math.ceil(Math.max.apply(null, node.childNodes.map(numCells)) / 2);
        node.setChildren(node.childNodes.map(function (row) {
            if (row.kind !== "mlabeledtr")
                return row;
            const cells = row.childNodes.slice(1);
            while (cells.length < numColumns)
                cells.push(create("mtd", []));
            return create("mtr", cells.concat([row.childNodes[0]]));
        }));
    });
}, -100);

// What a formula defines is gone with it: what another one looks like depends on nothing but itself.
function forget() {
    ["new-Delimiter", "new-Command", "new-Environment"].forEach(function (name) {
        tex.parseOptions.handlers.retrieve(name).map.clear();
    });
    tex.reset();
}

const number = /^-?[0-9.]+(e-?[0-9]+)?(px)?$/;
const colour = /^(#[0-9a-fA-F]{3,8}|[a-zA-Z]+)$/;
const transform = /^[a-z0-9 (),.+-]*$/;
const allowed = {
    d: /^[A-Za-z0-9 ,.+-]*$/, points: /^[0-9 ,.+-]*$/, transform: transform, fill: colour, stroke: colour,
    x: number, y: number, x1: number, y1: number, x2: number, y2: number, cx: number, cy: number,
    rx: number, ry: number,
    width: number, height: number, "stroke-width": number, "stroke-dasharray": /^[0-9 ,.]+$/,
    "stroke-linecap": /^[a-z]+$/,
    "stroke-linejoin": /^[a-z]+$/, "font-size": number, "font-family": /^[A-Za-z ,'-]+$/, "font-style": /^[a-z]+$/,
    "font-weight": /^[a-z]+$/
};
const elements = ["g", "path", "rect", "line", "polygon", "ellipse", "text"];

function escaped(text) {
    return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function round(value) {
    return String(Math.round(value * 10) / 10);
}

// A path whose points are scaled and brought into a window: what a nested <svg> with a stretched sign shows of it.
// Signs of the font have absolute commands only.
function clippedPath(path, scale, box) {
    const parts = path.match(/[A-Z]|-?[0-9.]+/g) || [];
    const x = function (text) { return round(Math.min(Math.max(text * scale.x, box.x), box.x + box.width)); };
    const y = function (text) { return round(Math.min(Math.max(text * scale.y, box.y), box.y + box.height)); };
    let written = "";
    let command = "";
    let even = true;
    parts.forEach(function (part) {
        if (/[A-Z]/.test(part)) {
            if ("MLHVQTCZ".indexOf(part) < 0)
                throw new Error("formula.js: a sign has the command " + part);
            command = part;
            even = true;
            written += part;
            return;
        }
        const across = command === "H" || (command !== "V" && even);
        written += (across ? x(part) : y(part)) + " ";
        even = !even;
    });
    return written;
}

function numbersOf(text) {
    return text.split(/[ ,]+/).map(Number);
}

class Writer {
    constructor() {
        this.svg = "";
        this.count = 0;
    }

    write(node, stroke) {
        if (node.kind === "svg")
            return this.writeStretched(node);
        if (elements.indexOf(node.kind) < 0)
            return;
        if (++this.count > kMaxElements || this.svg.length > kMaxSvg)
            throw new Error("The formula is too large.");
        const given = Object.assign({}, node.attributes);
        if (typeof given.fill === "string" && colour.test(given.fill) && given.fill !== "none")
            stroke = given.fill;
        const width = /stroke-width: *([0-9.]+)/.exec(String(given.style || ""));
        if (width !== null)
            given["stroke-width"] = width[1];
        // Lines of tables have these from a page's style sheet.
        if ("data-line" in given || "data-frame" in given) {
            given["stroke-width"] = given["stroke-thickness"] || "70";
            given.fill = "none";
            const classes = String(given["class"] || "");
            if (classes.indexOf("dashed") >= 0 && !("stroke-dasharray" in given))
                given["stroke-dasharray"] = "140";
            if (classes.indexOf("dotted") >= 0) {
                given["stroke-linecap"] = "round";
                given["stroke-dasharray"] = given["stroke-dasharray"] || "0,140";
            }
        }
        // What has a line's width is drawn with a line, and nothing else is.
        if (parseFloat(given["stroke-width"]) > 0)
            given.stroke = typeof given.stroke === "string" && colour.test(given.stroke) ? given.stroke : stroke;
        else
            delete given.stroke;
        if (node.kind === "text")
            given["font-size"] = kForeign * parseFloat(given["font-size"]) + "px";
        this.svg += "<" + node.kind;
        for (const name in given) {
            const value = String(given[name]);
            if (Object.prototype.hasOwnProperty.call(allowed, name) && allowed[name].test(value))
                this.svg += " " + name + "=\"" + escaped(value) + "\"";
        }
        this.svg += ">";
        for (let i = 0; i < node.children.length; ++i) {
            const child = node.children[i];
            if (child.kind === "#text")
                this.svg += node.kind === "text" ? escaped(child.value) : "";
            else
                this.write(child, stroke);
        }
        this.svg += "</" + node.kind + ">";
    }

    // The middle of a tall bracket, a brace or a long arrow: one sign, stretched and cut off.
    writeStretched(node) {
        const sign = node.children[0];
        const box = numbersOf(node.attributes.viewBox);
        const scale = /^scale\(([0-9.]+),([0-9.]+)\)$/.exec(sign.attributes.transform);
        if (sign.kind !== "path" || scale === null)
            throw new Error("formula.js: a stretched sign is no path");
        const path = clippedPath(sign.attributes.d, {x: Number(scale[1]), y: Number(scale[2])},
            {x: box[0], y: box[1], width: box[2], height: box[3]});
        this.svg += "<path transform=\"translate(" + round(node.attributes.x - box[0]) + "," +
            round(node.attributes.y - box[1]) +
            ")\" d=\"" + path + "\"/>";
    }
}

function drawn(source, display) {
    if (source.length > kMaxTex)
        throw new Error("The formula is too long.");
    const root = adaptor.firstChild(page.convert(source, {
        display: display, em: 16, ex: 16 * kEx, containerWidth: 80 * 16
    }));
    const box = numbersOf(root.attributes.viewBox);  // 0, -ascent, width, height
    const ex = function (units) { return units / (1000 * kEx); };
    const size = {width: ex(box[2]), ascent: ex(-box[1]), depth: ex(box[3] + box[1])};
    const height = size.ascent + size.depth;
    if (!(size.width > 0 && size.width <= kMaxWidth && height > 0 && height <= kMaxHeight &&
            size.width * height <= kMaxArea))
        throw new Error("The formula's picture is too large.");
    const writer = new Writer();
    writer.write(root.children[0], "currentColor");
    return {
        svg: "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" + box.join(" ") + "\">" + writer.svg + "</svg>",
        width: size.width,
        ascent: size.ascent,
        depth: size.depth
    };
}

module.exports = function (source, display) {
    try {
        return drawn(source, display);
    } catch (error) {
        return {error: String(error.message || error)};
    } finally {
        forget();
    }
};
