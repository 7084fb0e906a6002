/// XML and HTML as begins, ends and texts of elements, by libxml2. No tree is made, nothing is fetched, and
/// neither entities nor document types are obeyed.
#pragma once

#include <span>
#include <string_view>

namespace ingle::documents {

struct Attribute {
    std::string_view name;
    std::string_view value;  ///< empty for HTML's attributes without one
};
using Attributes = std::span<const Attribute>;

/// The value, or empty where there is no such attribute.
std::string_view attribute(Attributes attributes, std::string_view name);

/// What a reader does with it. All views end with the call.
class MarkupHandler {
  public:
    virtual ~MarkupHandler() = default;
    virtual void begin(std::string_view element, Attributes attributes) = 0;
    virtual void end(std::string_view element) = 0;
    virtual void text(std::string_view piece) = 0;
    /// Asked after every begin(): whether the rest does not matter any more.
    virtual bool isDone() const { return false; }
};

/// A short name for a namespace: elements of it are called "w:p", whatever prefix a file uses.
struct Namespace {
    std::string_view uri;
    std::string_view prefix;
};

/// Elements of namespaces that are not listed are called ":local"; attributes go by their local names.
/// Returns whether the text is well-formed XML without a document type, as far as it was read.
bool parseXml(std::string_view bytes, std::span<const Namespace> namespaces, MarkupHandler& handler);

/// `text` is UTF-8 (whatever it says itself). Elements have small letters; what is unclosed or closed in
/// disorder ends where the parser thinks that it does.
void parseHtml(std::string_view text, MarkupHandler& handler);

/// What libxml2 opens once.
void prepareMarkup();

}  // namespace ingle::documents
