// Qt's engine writes a backslash before every slash of RegExp.source, also where there is one already: languages that
// are built from the patterns of others would look for another text.
(function () {
    const source = Object.getOwnPropertyDescriptor(RegExp.prototype, "source").get;
    Object.defineProperty(RegExp.prototype, "source", {
        get: function () { return source.call(this).replace(/\\\//g, "/"); },
        configurable: true
    });
})()
