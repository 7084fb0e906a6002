#include "app/documents/readers/markup.h"

#include "app/documents/readers/time_limit.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <vector>

namespace ingle::documents {
namespace {

std::string_view view(const xmlChar* text) {
    return text ? reinterpret_cast<const char*>(text) : std::string_view();
}

/// What libxml2's callbacks work with.
struct Parse {
    xmlParserCtxtPtr context = nullptr;
    std::span<const Namespace> namespaces;
    MarkupHandler* handler = nullptr;
    bool hasType = false;
    std::string name = {};
    std::vector<Attribute> attributes = {};

    static Parse& of(void* self) { return *static_cast<Parse*>(self); }

    std::string_view named(const xmlChar* local, const xmlChar* uri) {
        const auto found = std::ranges::find(namespaces, view(uri), &Namespace::uri);
        name = found == namespaces.end() ? "" : found->prefix;
        name += ':';
        name += view(local);
        return name;
    }

    void begin(std::string_view element) {
        handler->begin(element, attributes);
        if (handler->isDone() || isTimeOver()) xmlStopParser(context);
    }
};

void beginXml(void* self, const xmlChar* local, const xmlChar*, const xmlChar* uri, int, const xmlChar**,
              int count, int, const xmlChar** values) {
    Parse& parse = Parse::of(self);
    parse.attributes.clear();
    // Five each: name, prefix, namespace, where the value begins, and where it ends.
    for (int i = 0; i < count; ++i, values += 5) {
        parse.attributes.push_back(
            {view(values[0]),
             {reinterpret_cast<const char*>(values[3]), static_cast<size_t>(values[4] - values[3])}});
    }
    parse.begin(parse.named(local, uri));
}

void endXml(void* self, const xmlChar* local, const xmlChar*, const xmlChar* uri) {
    Parse& parse = Parse::of(self);
    parse.handler->end(parse.named(local, uri));
}

void beginHtml(void* self, const xmlChar* element, const xmlChar** values) {
    Parse& parse = Parse::of(self);
    parse.attributes.clear();
    for (; values && values[0]; values += 2) parse.attributes.push_back({view(values[0]), view(values[1])});
    parse.begin(view(element));
}

void endHtml(void* self, const xmlChar* element) {
    Parse::of(self).handler->end(view(element));
}

void characters(void* self, const xmlChar* piece, int bytes) {
    Parse::of(self).handler->text({reinterpret_cast<const char*>(piece), static_cast<size_t>(bytes)});
}

/// Entities are declared in document types, and documents of the formats that are read here have none.
void refuseType(void* self, const xmlChar*, const xmlChar*, const xmlChar*) {
    Parse::of(self).hasType = true;
    xmlStopParser(Parse::of(self).context);
}

xmlSAXHandler commonCallbacks() {
    xmlSAXHandler callbacks{};
    callbacks.characters = &characters;
    callbacks.ignorableWhitespace = &characters;
    callbacks.cdataBlock = &characters;
    return callbacks;
}

void release(xmlParserCtxtPtr context) {
    if (!context) return;
    if (context->myDoc) xmlFreeDoc(context->myDoc);
    xmlFreeParserCtxt(context);
}
using Context = std::unique_ptr<xmlParserCtxt, decltype(&release)>;

}  // namespace

std::string_view attribute(Attributes attributes, std::string_view name) {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    return found == attributes.end() ? std::string_view() : found->value;
}

bool parseXml(std::string_view bytes, std::span<const Namespace> namespaces, MarkupHandler& handler) {
    const Context context(xmlNewParserCtxt(), &release);
    if (!context || bytes.size() > INT_MAX) return false;
    Parse parse{.context = context.get(), .namespaces = namespaces, .handler = &handler};
    *context->sax = commonCallbacks();
    context->sax->initialized = XML_SAX2_MAGIC;
    context->sax->startElementNs = &beginXml;
    context->sax->endElementNs = &endXml;
    context->sax->internalSubset = &refuseType;
    context->userData = &parse;
    xmlDocPtr tree = xmlCtxtReadMemory(context.get(), bytes.data(), static_cast<int>(bytes.size()), nullptr,
                                       nullptr, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (tree) xmlFreeDoc(tree);
    return !parse.hasType && (context->wellFormed || handler.isDone() || isTimeOver());
}

void parseHtml(std::string_view text, MarkupHandler& handler) {
    const Context context(htmlNewParserCtxt(), &release);
    if (!context || text.size() > INT_MAX) return;
    Parse parse{.context = context.get(), .handler = &handler};
    *context->sax = commonCallbacks();
    context->sax->startElement = &beginHtml;
    context->sax->endElement = &endHtml;
    context->userData = &parse;
    xmlDocPtr tree =
        htmlCtxtReadMemory(context.get(), text.data(), static_cast<int>(text.size()), nullptr, "UTF-8",
                           HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    if (tree) xmlFreeDoc(tree);
}

void prepareMarkup() {
    xmlInitParser();
    // It writes to standard error otherwise.
    xmlSetStructuredErrorFunc(nullptr, [](void*, xmlErrorPtr) {});
    (void)xmlFindCharEncodingHandler("UTF-8");
}

}  // namespace ingle::documents
