// MathJax's lists of attributes, each of which is looked for in the next: what a node says itself, what it inherits,
// what its kind says, what all say. There they are one chain of prototypes for every node, which Qt's engine handles
// ever more slowly; here they are four plain objects.
"use strict";

const module_ = require("mathjax-full/js/core/MmlTree/Attributes.js");
const INHERIT = module_.INHERIT;

const has = Object.prototype.hasOwnProperty;

function find(name, lists) {
    for (let i = 0; i < lists.length; ++i)
        if (has.call(lists[i], name))
            return lists[i][name];
    return undefined;
}

class FlatAttributes {
    constructor(defaults, global) {
        this.global = global;
        this.defaults = Object.assign({}, defaults);
        this.inherited = {};
        this.attributes = {};
    }
    set(name, value) {
        this.attributes[name] = value;
    }
    setList(list) {
        Object.assign(this.attributes, list);
    }
    get(name) {
        const value = find(name, [this.attributes, this.inherited, this.defaults, this.global]);
        return value === INHERIT ? this.global[name] : value;
    }
    getExplicit(name) {
        return has.call(this.attributes, name) ? this.attributes[name] : undefined;
    }
    getList(...names) {
        const values = {};
        for (const name of names)
            values[name] = this.get(name);
        return values;
    }
    setInherited(name, value) {
        this.inherited[name] = value;
    }
    getInherited(name) {
        return find(name, [this.inherited, this.defaults, this.global]);
    }
    getDefault(name) {
        return find(name, [this.defaults, this.global]);
    }
    isSet(name) {
        return has.call(this.attributes, name) || has.call(this.inherited, name);
    }
    hasDefault(name) {
        return has.call(this.defaults, name) || has.call(this.global, name);
    }
    getExplicitNames() {
        return Object.keys(this.attributes);
    }
    getInheritedNames() {
        return Object.keys(this.inherited);
    }
    getDefaultNames() {
        return Object.keys(this.defaults);
    }
    getGlobalNames() {
        return Object.keys(this.global);
    }
    getAllAttributes() {
        return this.attributes;
    }
    getAllInherited() {
        return this.inherited;
    }
    getAllDefaults() {
        return this.defaults;
    }
    getAllGlobals() {
        return this.global;
    }
}

// Every method of theirs has one here: another version that has more does not come in unseen.
for (const name of Object.getOwnPropertyNames(module_.Attributes.prototype))
    if (typeof FlatAttributes.prototype[name] !== "function")
        throw new Error("flat_attributes.js: MathJax's attributes have `" + name + "`");

module_.Attributes = FlatAttributes;

// And all of its nodes have them.
const {MmlFactory} = require("mathjax-full/js/core/MmlTree/MmlFactory.js");
if (!(new MmlFactory().create("mi").attributes instanceof FlatAttributes))
    throw new Error("flat_attributes.js: MathJax has attributes of its own");
