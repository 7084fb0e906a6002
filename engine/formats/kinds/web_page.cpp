// What a download leaves that ended at a page, mostly one that asks to sign in. A file that is called a page
// is one that somebody kept to read.
#include "engine/formats/kind.h"

namespace ingle::formats::web_page_kind {
namespace {

bool beginsWithoutCase(std::string_view text, std::string_view begin) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; };
    return text.size() >= begin.size() && std::ranges::equal(text.substr(0, begin.size()), begin, {}, small);
}

std::optional<Error> refuse(const Sighting& sighting) {
    if (sighting.endsIn(".html") || sighting.endsIn(".htm") || sighting.endsIn(".xhtml")) return std::nullopt;
    std::string_view text = sighting.text(1024);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!beginsWithoutCase(text, "<!doctype html") && !beginsWithoutCase(text, "<html")) return std::nullopt;
    return refused<ErrorId::WebPage>(sighting.source.path(),
                                     "a web page, not the model; its page may ask to sign in first");
}

constexpr ErrorId kErrors[] = {ErrorId::WebPage};

}  // namespace

extern const Kind kind{.name = "webPage", .actions = kGetInstead, .refuse = refuse, .errors = kErrors};

}  // namespace ingle::formats::web_page_kind
