#include "app/exchange/conversation_json.h"

#include <optional>
#include <utility>

#include "app/history/chats/message_fields.h"
#include "app/history/chats/stored_values.h"
#include "ingle/base64.h"

namespace ingle::exchange {

/// A part with the number of its file.
struct PortablePart {
    static constexpr std::string_view kNoun = "part";
    Part part;
    history::Number file = 0;
};

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct Base64 {
    static constexpr const char* kExpected = "base64";
    static std::string write(const std::string& bytes) { return toBase64(bytes); }
    static std::optional<std::string> read(const std::string& text) { return fromBase64(text); }
};

/// A text that is an object: its keys are sorted, so that it does not depend on who wrote it.
struct Object {
    static constexpr const char* kExpected = "an object";
    static json write(const std::string& text) {
        json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
        return object.is_object() ? object : json::object();
    }
    static std::optional<std::string> read(const json& object) {
        return object.is_object() ? std::optional(codec::textOf(object)) : std::nullopt;
    }
};

std::vector<PortablePart> partsOf(const history::PortableMessage& portable) {
    std::vector<PortablePart> parts;
    for (const Part& part : portable.message.parts) {
        const size_t i = parts.size();
        parts.push_back({part, i < portable.files.size() ? portable.files[i] : 0});
    }
    return parts;
}

}  // namespace

template <typename V>
void fields(V& v, codec::Of<PortablePart> auto& p) {
    fields(v, p.part);
    v.sparse("file", p.file);
}

}  // namespace ingle::exchange

namespace ingle::history {

template <typename V>
void fields(V& v, codec::Of<PortableFile> auto& f) {
    v.required("id", f.id);
    v.sparse("hash", codec::as<codec::Hex>(f.hash));
    v.required("mediaType", f.mediaType);
    v.required("content", codec::as<exchange::Base64>(f.content));
}

template <typename V>
void fields(V& v, codec::Of<PortableMessage> auto& m) {
    v.required("id", m.message.id);
    v.sparse("parent", m.message.parent);
    fields(v, m.message);
    auto parts = exchange::partsOf(m);
    v.required("parts", parts);
    if constexpr (V::kReads) {
        for (exchange::PortablePart& each : parts) {
            m.message.parts.push_back(std::move(each.part));
            m.files.push_back(each.file);
        }
    }
    answerFields(v, m.message);
    v.sparse("withheld", codec::as<exchange::Base64>(m.message.withheld));
    v.sparse("tokenIds", m.message.tokenIds);
}

template <typename V>
void fields(V& v, codec::Of<PortableFolder> auto& f) {
    v.required("id", f.id);
    v.sparse("parent", f.parent);
    v.required("name", f.name);
    v.required("position", f.position);
    if (V::kReads || !f.settings.empty()) v.optional("settings", codec::as<exchange::Object>(f.settings));
}

template <typename V>
void fields(V& v, codec::Of<PortableProfile> auto& p) {
    v.required("id", p.id);
    v.required("name", p.name);
    v.required("settings", codec::as<exchange::Object>(p.settings));
}

template <typename V>
void fields(V& v, codec::Of<Passage> auto& p) {
    v.required("begin", p.begin);
    v.required("end", p.end);
    v.sparse("page", p.page);
    v.sparse("heading", p.heading);
}

template <typename V>
void fields(V& v, codec::Of<PortableDocument> auto& d) {
    v.required("id", d.id);
    v.required("title", d.content.title);
    v.required("format", d.content.format);
    v.sparse("leftOut", d.content.leftOut);
    v.required("addedMs", d.addedMs);
    v.required("usedMs", d.usedMs);
    v.sparse("onShelf", d.onShelf, true);
    v.required("text", d.content.text);
    v.sparse("passages", d.content.passages);
}

template <typename V>
void fields(V& v, codec::Of<PortableConversation> auto& c) {
    v.required("title", c.title);
    v.required("createdMs", c.createdMs);
    v.required("updatedMs", c.updatedMs);
    v.sparse("pinned", c.pinned);
    v.sparse("archivedMs", c.archivedMs);
    v.sparse("origin", c.origin);
    v.sparse("folder", c.folder);
    v.sparse("profile", c.profile);
    v.sparse("modelId", c.modelId);
    v.sparse("draft", c.draft);
    v.sparse("documents", c.documents);
    v.sparse("files", c.files);
    v.required("messages", c.messages);
    v.sparse("activeLeaf", c.activeLeaf);
}

}  // namespace ingle::history

namespace ingle::exchange {

template <typename Portable>
ordered_json jsonOf(const Portable& portable) {
    return codec::Writer<codec::kExported, ordered_json>::jsonOf(portable);
}

template <typename Portable>
Result<Portable> readAs(const json& value) {
    Portable portable;
    codec::Reader<codec::kExported> reader(value, Portable::kNoun);
    fields(reader, portable);
    const auto& mistake = reader.mistake();
    if (!mistake) return portable;
    if (mistake->field.empty()) return fail(ErrorCode::Corrupt, "A {} is no object.", mistake->noun);
    return fail(ErrorCode::Corrupt, "The file has a {} whose \"{}\" is not as the format says.",
                mistake->noun, mistake->field);
}

template ordered_json jsonOf(const history::PortableFolder&);
template ordered_json jsonOf(const history::PortableProfile&);
template ordered_json jsonOf(const history::PortableDocument&);
template ordered_json jsonOf(const history::PortableConversation&);
template Result<history::PortableFolder> readAs(const json&);
template Result<history::PortableProfile> readAs(const json&);
template Result<history::PortableDocument> readAs(const json&);
template Result<history::PortableConversation> readAs(const json&);

std::string lineOf(const ordered_json& value) {
    return codec::textOf(value);
}

}  // namespace ingle::exchange
