#include "app/exchange/conversation_json.h"

#include <charconv>
#include <concepts>
#include <optional>
#include <utility>

#include "app/exchange/base64.h"
#include "app/history/stored_json.h"
#include "app/history/stored_values.h"

namespace ingle::exchange {
namespace {

using history::Message;
using history::MessageStatus;
using history::PortableConversation;
using history::PortableDocument;
using history::PortableFile;
using history::PortableFolder;
using history::PortableMessage;
using history::PortableProfile;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string toHex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += kHexDigits[static_cast<unsigned char>(byte) >> 4];
        text += kHexDigits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

/// Nothing where it is no even number of small hexadecimal digits.
std::optional<std::string> fromHex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (size_t i = 0; i < text.size(); i += 2) {
        const size_t high = kHexDigits.find(text[i]);
        const size_t low = kHexDigits.find(text[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        bytes += static_cast<char>(high << 4 | low);
    }
    return bytes;
}

/// Adds a value, but where it is the default, which says nothing.
template <typename Value>
void put(ordered_json& object, const char* key, const Value& value, const Value& fallback = {}) {
    if (!(value == fallback)) object[key] = value;
}

/// Reads members of one object; keeps the first thing that is wrong.
class Members {
  public:
    Members(const json& object, std::string_view what) : m_object(object), m_what(what) {
        if (!object.is_object()) m_error = fail(ErrorCode::Corrupt, "A {} is no object.", what).value();
    }

    void text(const char* key, std::string& value) {
        const json* found = find(key);
        if (!found) return;
        if (!found->is_string()) return wrong(key);
        value = found->get_ref<const std::string&>();
    }
    void flag(const char* key, bool& value) {
        const json* found = find(key);
        if (!found) return;
        if (!found->is_boolean()) return wrong(key);
        value = found->get<bool>();
    }
    template <std::integral Number>
    void number(const char* key, Number& value) {
        const json* found = find(key);
        if (!found) return;
        if (!readNumber(*found, value)) wrong(key);
    }
    void number(const char* key, std::optional<int64_t>& value) {
        if (find(key)) number(key, value.emplace());
    }
    void number(const char* key, double& value) {
        const json* found = find(key);
        if (!found) return;
        if (!found->is_number()) return wrong(key);
        value = found->get<double>();
    }
    /// 64 bits as a decimal number in quotes: JSON readers differ about them.
    void bits(const char* key, uint64_t& value) {
        std::string digits;
        text(key, digits);
        if (digits.empty()) return;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size()) wrong(key);
    }
    void base64(const char* key, std::string& bytes) {
        std::string coded;
        text(key, coded);
        if (auto decoded = fromBase64(coded))
            bytes = std::move(*decoded);
        else
            wrong(key);
    }
    void hex(const char* key, std::string& bytes) {
        std::string coded;
        text(key, coded);
        if (auto decoded = fromHex(coded))
            bytes = std::move(*decoded);
        else
            wrong(key);
    }
    /// One of `names`; what is missing stays as it is.
    template <typename Enum, size_t N>
    void name(const char* key, const std::array<std::pair<Enum, std::string_view>, N>& names, Enum& value) {
        const json* found = find(key);
        if (!found) return;
        const auto known = found->is_string()
                               ? history::fromStoredName(names, found->get_ref<const std::string&>())
                               : std::nullopt;
        if (known)
            value = *known;
        else
            wrong(key);
    }
    template <typename Enum, size_t N>
    void name(const char* key, const std::array<std::pair<Enum, std::string_view>, N>& names,
              std::optional<Enum>& value) {
        if (find(key)) name(key, names, value.emplace());
    }
    template <typename Each>
    void each(const char* key, Each&& take) {
        const json* found = find(key);
        if (!found) return;
        if (!found->is_array()) return wrong(key);
        for (const json& element : *found) {
            if (const Status taken = take(element); !taken) {
                if (!m_error) m_error = taken.error();
                return;
            }
        }
    }
    const json* object(const char* key) {
        const json* found = find(key);
        if (found && !found->is_object()) wrong(key);
        return found && found->is_object() ? found : nullptr;
    }

    void wrong(std::string_view key) {
        if (!m_error) {
            const auto failed = fail(
                ErrorCode::Corrupt, "The file has a {} whose \"{}\" is not as the format says.", m_what, key);
            m_error = failed.value();
        }
    }
    Status status() const {
        if (m_error) return tl::unexpected<Error>(*m_error);
        return {};
    }

    template <std::integral Number>
    static bool readNumber(const json& value, Number& number) {
        if (value.is_number_unsigned()) {
            const auto read = value.get<uint64_t>();
            number = static_cast<Number>(read);
            return std::in_range<Number>(read);
        }
        if (!value.is_number_integer()) return false;
        const auto read = value.get<int64_t>();
        number = static_cast<Number>(read);
        return std::in_range<Number>(read);
    }

  private:
    const json* find(const char* key) const {
        if (!m_object.is_object()) return nullptr;
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }

    const json& m_object;
    std::string_view m_what;
    std::optional<Error> m_error;
};

/// Keys sorted, so that the text does not depend on who wrote it.
ordered_json sortedObject(const std::string& text) {
    const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
    return object.is_object()
               ? ordered_json::parse(object.dump(-1, ' ', false, json::error_handler_t::replace))
               : ordered_json::object();
}

ordered_json jsonOf(const PortableFile& file) {
    ordered_json object;
    object["id"] = file.id;
    put(object, "hash", toHex(file.hash));
    object["mediaType"] = file.mediaType;
    object["content"] = toBase64(file.content);
    return object;
}

Result<PortableFile> fileFrom(const json& value) {
    PortableFile file;
    Members members(value, "file");
    members.number("id", file.id);
    members.hex("hash", file.hash);
    members.text("mediaType", file.mediaType);
    members.base64("content", file.content);
    INGLE_TRY(members.status());
    return file;
}

ordered_json jsonOf(const Part& part, history::Number file) {
    ordered_json object;
    object["kind"] = history::storedName(history::kPartKindNames, part.kind);
    object["text"] = part.text;
    put(object, "data", part.data);
    put(object, "file", file);
    return object;
}

/// What only answers have, and only those that a model has written here.
void putAnswer(ordered_json& object, const Message& message) {
    if (message.stopReason)
        object["stopReason"] = history::storedName(history::kStopReasonNames, *message.stopReason);
    put(object, "error", message.error);
    put(object, "errorId", message.errorId);
    put(object, "errorArguments", message.errorArguments);
    put(object, "firstKept", message.firstKept);
    if (message.promptHash != 0) object["promptHash"] = std::to_string(message.promptHash);
    put(object, "modelId", message.modelId);
    put(object, "modelName", message.modelName);
    SamplerParams sampler = message.sampler;
    sampler.seed = 0;
    if (!(sampler == SamplerParams{})) object["sampler"] = ordered_json::parse(history::samplerJson(sampler));
    if (message.sampler.seed != 0) object["seed"] = std::to_string(message.sampler.seed);
    if (const std::string receipt = history::receiptJson(message.receipt); !receipt.empty())
        object["receipt"] = ordered_json::parse(receipt);
    put(object, "promptTokens", message.stats.promptTokens);
    put(object, "cachedTokens", message.stats.cachedTokens);
    put(object, "newTokens", message.stats.newTokens);
    put(object, "prefillMs", message.stats.prefillMs);
    put(object, "decodeMs", message.stats.decodeMs);
    put(object, "guessedTokens", message.stats.guessedTokens);
    put(object, "takenTokens", message.stats.takenTokens);
    if (!message.withheld.empty()) object["withheld"] = toBase64(message.withheld);
    put(object, "tokenIds", message.tokenIds);
}

ordered_json jsonOf(const PortableMessage& portable) {
    const Message& message = portable.message;
    ordered_json object;
    object["id"] = message.id;
    put(object, "parent", message.parent);
    object["role"] = history::storedName(history::kRoleNames, message.role);
    put(object, "status", history::storedName(history::kStatusNames, message.status),
        history::storedName(history::kStatusNames, MessageStatus::Complete));
    object["createdMs"] = message.createdMs;
    if (portable.finishedMs) object["finishedMs"] = *portable.finishedMs;
    put(object, "pinned", message.pinned);
    ordered_json& parts = object["parts"] = ordered_json::array();
    for (size_t i = 0; i < message.parts.size(); ++i)
        parts.push_back(jsonOf(message.parts[i], i < portable.files.size() ? portable.files[i] : 0));
    putAnswer(object, message);
    return object;
}

void readAnswer(Members& members, Message& message) {
    members.name("stopReason", history::kStopReasonNames, message.stopReason);
    members.text("error", message.error);
    members.text("errorId", message.errorId);
    members.each("errorArguments", [&](const json& text) -> Status {
        if (!text.is_string()) return fail(ErrorCode::Corrupt, "An argument of an error is no text.");
        message.errorArguments.push_back(text.get<std::string>());
        return {};
    });
    members.number("firstKept", message.firstKept);
    members.bits("promptHash", message.promptHash);
    members.text("modelId", message.modelId);
    members.text("modelName", message.modelName);
    if (const json* sampler = members.object("sampler"))
        message.sampler =
            history::samplerFromJson(sampler->dump(-1, ' ', false, json::error_handler_t::replace));
    members.bits("seed", message.sampler.seed);
    if (const json* receipt = members.object("receipt"))
        message.receipt =
            history::receiptFromJson(receipt->dump(-1, ' ', false, json::error_handler_t::replace));
    members.number("promptTokens", message.stats.promptTokens);
    members.number("cachedTokens", message.stats.cachedTokens);
    members.number("newTokens", message.stats.newTokens);
    members.number("prefillMs", message.stats.prefillMs);
    members.number("decodeMs", message.stats.decodeMs);
    members.number("guessedTokens", message.stats.guessedTokens);
    members.number("takenTokens", message.stats.takenTokens);
    members.base64("withheld", message.withheld);
    members.each("tokenIds", [&](const json& value) -> Status {
        if (Members::readNumber(value, message.tokenIds.emplace_back())) return {};
        return fail(ErrorCode::Corrupt, "A token's id is no whole number of 32 bits.");
    });
}

Result<PortableMessage> messageFrom(const json& value) {
    PortableMessage portable;
    Message& message = portable.message;
    Members members(value, "message");
    members.number("id", message.id);
    members.number("parent", message.parent);
    members.name("role", history::kRoleNames, message.role);
    members.name("status", history::kStatusNames, message.status);
    members.number("createdMs", message.createdMs);
    members.number("finishedMs", portable.finishedMs);
    members.flag("pinned", message.pinned);
    members.each("parts", [&](const json& each) -> Status {
        Part& part = message.parts.emplace_back();
        Members its(each, "part");
        its.name("kind", history::kPartKindNames, part.kind);
        its.text("text", part.text);
        its.text("data", part.data);
        its.number("file", portable.files.emplace_back());
        return its.status();
    });
    readAnswer(members, message);
    INGLE_TRY(members.status());
    return portable;
}

}  // namespace

ordered_json jsonOf(const PortableFolder& folder) {
    ordered_json object;
    object["id"] = folder.id;
    put(object, "parent", folder.parent);
    object["name"] = folder.name;
    object["position"] = folder.position;
    if (!folder.settings.empty()) object["settings"] = sortedObject(folder.settings);
    return object;
}

ordered_json jsonOf(const PortableProfile& profile) {
    ordered_json object;
    object["id"] = profile.id;
    object["name"] = profile.name;
    object["settings"] = sortedObject(profile.settings);
    return object;
}

ordered_json jsonOf(const PortableDocument& document) {
    const history::NewDocument& content = document.content;
    ordered_json object;
    object["id"] = document.id;
    object["title"] = content.title;
    object["format"] = content.format;
    put(object, "leftOut", content.leftOut);
    object["addedMs"] = document.addedMs;
    object["usedMs"] = document.usedMs;
    put(object, "onShelf", document.onShelf, true);
    object["text"] = content.text;
    for (const history::Passage& passage : content.passages) {
        ordered_json& each = object["passages"].emplace_back();
        each["begin"] = passage.begin;
        each["end"] = passage.end;
        put(each, "page", passage.page);
        put(each, "heading", passage.heading);
    }
    return object;
}

ordered_json jsonOf(const PortableConversation& conversation) {
    ordered_json object;
    object["title"] = conversation.title;
    object["createdMs"] = conversation.createdMs;
    object["updatedMs"] = conversation.updatedMs;
    put(object, "pinned", conversation.pinned);
    if (conversation.archivedMs) object["archivedMs"] = *conversation.archivedMs;
    put(object, "origin", conversation.origin);
    put(object, "folder", conversation.folder);
    put(object, "profile", conversation.profile);
    put(object, "modelId", conversation.modelId);
    put(object, "draft", conversation.draft);
    put(object, "documents", conversation.documents);
    for (const PortableFile& file : conversation.files) object["files"].push_back(jsonOf(file));
    ordered_json& messages = object["messages"] = ordered_json::array();
    for (const PortableMessage& message : conversation.messages) messages.push_back(jsonOf(message));
    put(object, "activeLeaf", conversation.activeLeaf);
    return object;
}

Result<PortableFolder> folderFrom(const json& value) {
    PortableFolder folder;
    Members members(value, "folder");
    members.number("id", folder.id);
    members.number("parent", folder.parent);
    members.text("name", folder.name);
    members.number("position", folder.position);
    if (const json* settings = members.object("settings"))
        folder.settings = settings->dump(-1, ' ', false, json::error_handler_t::replace);
    INGLE_TRY(members.status());
    return folder;
}

Result<PortableProfile> profileFrom(const json& value) {
    PortableProfile profile;
    Members members(value, "profile");
    members.number("id", profile.id);
    members.text("name", profile.name);
    const json* settings = members.object("settings");
    profile.settings = settings ? settings->dump(-1, ' ', false, json::error_handler_t::replace) : "{}";
    INGLE_TRY(members.status());
    return profile;
}

Result<PortableDocument> documentFrom(const json& value) {
    PortableDocument document;
    history::NewDocument& content = document.content;
    Members members(value, "document");
    members.number("id", document.id);
    members.text("title", content.title);
    members.text("format", content.format);
    members.each("leftOut", [&](const json& text) -> Status {
        if (!text.is_string()) return fail(ErrorCode::Corrupt, "What a document lacks is no text.");
        content.leftOut.push_back(text.get<std::string>());
        return {};
    });
    members.number("addedMs", document.addedMs);
    members.number("usedMs", document.usedMs);
    members.flag("onShelf", document.onShelf);
    members.text("text", content.text);
    members.each("passages", [&](const json& each) -> Status {
        history::Passage& passage = content.passages.emplace_back();
        Members its(each, "passage");
        its.number("begin", passage.begin);
        its.number("end", passage.end);
        its.number("page", passage.page);
        its.text("heading", passage.heading);
        return its.status();
    });
    INGLE_TRY(members.status());
    return document;
}

Result<PortableConversation> conversationFrom(const json& value) {
    PortableConversation conversation;
    Members members(value, "conversation");
    members.text("title", conversation.title);
    members.number("createdMs", conversation.createdMs);
    members.number("updatedMs", conversation.updatedMs);
    members.flag("pinned", conversation.pinned);
    members.number("archivedMs", conversation.archivedMs);
    members.text("origin", conversation.origin);
    members.number("folder", conversation.folder);
    members.number("profile", conversation.profile);
    members.text("modelId", conversation.modelId);
    members.text("draft", conversation.draft);
    members.each("documents", [&](const json& each) -> Status {
        if (Members::readNumber(each, conversation.documents.emplace_back())) return {};
        return fail(ErrorCode::Corrupt, "A document of a conversation is no number.");
    });
    members.each("files", [&](const json& each) -> Status {
        INGLE_TRY_ASSIGN(auto file, fileFrom(each));
        conversation.files.push_back(std::move(file));
        return {};
    });
    members.each("messages", [&](const json& each) -> Status {
        INGLE_TRY_ASSIGN(auto message, messageFrom(each));
        conversation.messages.push_back(std::move(message));
        return {};
    });
    members.number("activeLeaf", conversation.activeLeaf);
    INGLE_TRY(members.status());
    return conversation;
}

std::string lineOf(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace ingle::exchange
