#include "app/documents/answer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/documents/limits.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"
#include "ingle/utf8.h"

namespace ingle::documents {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kPlaceNames{"page", "heading", "file"};  // in PlaceKind's order
constexpr int kDeepest = 3;  // an object, the list of places, and a place

PlaceKind placeKind(const std::string& name) {
    const auto found = std::ranges::find(kPlaceNames, name);
    if (found == kPlaceNames.end()) throw json::other_error::create(501, "no such place", nullptr);
    return static_cast<PlaceKind>(found - kPlaceNames.begin());
}

LossKind lossKind(const std::string& name) {
    const auto found = std::ranges::find(kLosses, std::string_view(name), &LossInfo::name);
    if (found == kLosses.end()) throw json::other_error::create(501, "no such loss", nullptr);
    return found->kind;
}

json describe(const Document& document) {
    json places = json::array(), losses = json::array();
    for (const Place& each : document.places)
        places.push_back({each.offset, kPlaceNames[static_cast<size_t>(each.kind)], each.number, each.words});
    for (const Loss& each : document.leftOut)
        losses.push_back({lossInfo(each.kind).name, each.count, each.names});
    return {{"format", document.format}, {"title", document.title}, {"places", places}, {"leftOut", losses}};
}

/// Throws json::exception where the description is another.
Result<Document> described(const json& description, std::string_view text) {
    if (const auto error = description.find("error"); error != description.end()) {
        const auto refusal = refusalOf(error->get_ref<const std::string&>());
        if (!refusal) return refuse(Refusal::ReaderFailed);
        return refuse(*refusal, description.value("argument", std::string()));
    }
    Document document{.format = description.at("format").get<std::string>(),
                      .title = description.at("title").get<std::string>(),
                      .text = std::string(text)};
    for (const json& each : description.at("places")) {
        document.places.push_back({each.at(0).get<size_t>(), placeKind(each.at(1).get<std::string>()),
                                   each.at(2).get<uint32_t>(), each.at(3).get<std::string>()});
    }
    for (const json& each : description.at("leftOut"))
        document.leftOut.push_back({lossKind(each.at(0).get<std::string>()), each.at(1).get<uint64_t>(),
                                    each.at(2).get<std::string>()});
    if (!isSound(document)) return refuse(Refusal::ReaderFailed);
    return document;
}

bool isOneLine(const std::string& words) {
    return words.size() <= limits::kWordsBytes && words == oneLine(words);
}

}  // namespace

std::string encodeAnswer(const Result<Document>& answer) {
    constexpr auto kReplace = json::error_handler_t::replace;
    if (answer) return describe(*answer).dump(-1, ' ', false, kReplace) + '\n' + answer->text;
    json error{{"error", answer.error().id}};
    if (!answer.error().arguments.empty()) error["argument"] = answer.error().arguments.front();
    return error.dump(-1, ' ', false, kReplace) + '\n';
}

Result<Document> decodeAnswer(std::string_view bytes) {
    const size_t end = bytes.substr(0, limits::kDescriptionBytes).find('\n');
    if (end == std::string_view::npos) return refuse(Refusal::ReaderFailed);
    try {
        const auto isShallow = [](int depth, json::parse_event_t, json&) { return depth <= kDeepest; };
        return described(
            json::parse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(end), isShallow),
            bytes.substr(end + 1));
    } catch (const json::exception&) {
        return refuse(Refusal::ReaderFailed);
    }
}

bool isSound(const Document& document) {
    if (document.text.empty() || document.text.size() > limits::kTextBytes) return false;
    std::string clean;
    appendClean(clean, document.text);
    if (clean != document.text || !isOneLine(document.format) || !isOneLine(document.title)) return false;
    if (document.places.size() > limits::kPlaces) return false;
    const auto isGood = [&](const Place& each) {
        return each.offset < document.text.size() && isBoundary(document.text, each.offset) &&
               isOneLine(each.words) &&
               (each.kind != PlaceKind::Heading || (each.number >= 1 && each.number <= 6));
    };
    if (!std::ranges::all_of(document.places, isGood)) return false;
    if (!std::ranges::is_sorted(document.places, {}, &Place::offset)) return false;
    const auto isTold = [&](const Loss& each) {
        return each.count > 0 && isOneLine(each.names) &&
               std::ranges::count(document.leftOut, each.kind, &Loss::kind) == 1;
    };
    return document.leftOut.size() <= kLosses.size() && std::ranges::all_of(document.leftOut, isTold);
}

}  // namespace ingle::documents
