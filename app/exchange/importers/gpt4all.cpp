/// GPT4All's chats (gpt4all-<id>.chat, versions 1 to 12), written by Qt's QDataStream: big-endian numbers,
/// texts as bytes of UTF-16 behind their length, 0xFFFFFFFF for none. Source:
/// gpt4all-chat/src/{chat,chatllm,chatmodel, tool,chatlistmodel}.cpp of GPT4All 3.10; the format of
/// QDataStream is documented with Qt.
#include <algorithm>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"
#include "ingle/utf8.h"

namespace ingle::exchange::gpt4all_importer {
namespace {

constexpr std::string_view kMagic = "\xF5\xD5\x53\xCC";
constexpr int32_t kNewest = 12;
constexpr int kDeepestItems = 16;

/// Reads behind its end are zeros, and remembered.
class QtStream {
  public:
    explicit QtStream(std::string_view bytes) : m_rest(bytes) {}

    uint64_t number(size_t bytes) {
        uint64_t value = 0;
        for (const char byte : take(bytes)) value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }
    int32_t int32() { return static_cast<int32_t>(number(4)); }
    bool flag() { return number(1) != 0; }
    std::string_view bytes() {
        const auto size = static_cast<uint32_t>(number(4));
        return size == UINT32_MAX ? std::string_view() : take(size);
    }
    std::string text() {
        const std::string_view raw = bytes();
        std::string result;
        for (size_t i = 0; i + 1 < raw.size(); i += 2) {
            char32_t code = unit(raw, i);
            const bool isHigh = code >= 0xD800 && code < 0xDC00;
            const char32_t low = isHigh && i + 3 < raw.size() ? unit(raw, i + 2) : 0;
            if (low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                i += 2;
            } else if (code >= 0xD800 && code < 0xE000) {
                code = 0xFFFD;
            }
            result += encodeUtf8(code);
        }
        return result;
    }
    /// How many things follow; never more than there are bytes.
    size_t count(size_t bytes) {
        const auto value =
            static_cast<int64_t>(bytes == 4 ? int64_t{int32()} : static_cast<int64_t>(number(8)));
        if (value >= 0 && static_cast<uint64_t>(value) <= m_rest.size()) return static_cast<size_t>(value);
        m_good = false;
        return 0;
    }
    void skip(uint64_t bytes) { (void)take(bytes); }  // remembers its end itself
    bool isGood() const { return m_good; }
    void spoil() { m_good = false; }

  private:
    static char32_t unit(std::string_view raw, size_t at) {
        return static_cast<char32_t>(static_cast<unsigned char>(raw[at]) << 8 |
                                     static_cast<unsigned char>(raw[at + 1]));
    }
    std::string_view take(uint64_t size) {
        if (!m_good || size > m_rest.size()) {
            m_good = false;
            return {};
        }
        const std::string_view taken = m_rest.substr(0, static_cast<size_t>(size));
        m_rest.remove_prefix(static_cast<size_t>(size));
        return taken;
    }

    std::string_view m_rest;
    bool m_good = true;
};

/// What the model had in memory.
void skipState(QtStream& stream, int32_t version) {
    if (version >= 11) return;
    const bool hasCache = version >= 6 ? stream.flag() : true;
    if (version >= 2) {
        stream.int32();  // kind of model
        if (stream.int32() != 0) stream.spoil();
    }
    stream.text();
    stream.text();
    stream.int32();
    if (!hasCache) return;
    if (version < 4) stream.int32();
    stream.int32();
    if (version >= 7) stream.int32();
    if (version < 9) {
        const uint64_t logits = stream.number(8);
        logits > kMostBytes ? stream.spoil() : stream.skip(logits * 4);
    }
    const uint64_t tokens = stream.number(8);
    tokens > kMostBytes ? stream.spoil() : stream.skip(tokens * 4);
    stream.bytes();
}

struct Item {
    std::string kind;  ///< "Prompt: ", "Response: " …
    std::string value;
    bool stopped = false, failed = false, rated = false;
    std::vector<Part> parts;  ///< sources, attachments, and what stands below it
};

/// What an answer consists of, where tools were called.
void readBelow(QtStream& stream, std::vector<Part>& parts, int depth) {
    if (depth > kDeepestItems) return stream.spoil();
    const std::string kind = stream.text();
    const std::string value = stream.text();
    if (kind == "ToolCall: ") {
        const std::string tool = stream.text();
        for (size_t i = stream.count(8); i > 0 && stream.isGood(); --i) {
            stream.text();
            stream.int32();
            // A QVariant: its kind, whether it is null, and the value; only texts are known to be there.
            if (stream.int32() != 10) return stream.spoil();
            stream.flag();
            stream.text();
        }
        const std::string result = stream.text();
        stream.int32();
        stream.text();
        parts.push_back({PartKind::ToolCall, value, tool});
        if (!result.empty()) parts.push_back({PartKind::ToolResult, result, tool});
    } else if (kind == "Think: ") {
        stream.int32();
        auto thought = partsOfAnswer(value);
        for (Part& part : thought) parts.push_back({PartKind::Thought, std::move(part.text), ""});
    } else if (kind == "Text: ") {
        for (Part& part : partsOfText(value)) parts.push_back(std::move(part));
    } else if (kind != "Response: " && kind != "ToolResponse: ") {
        return stream.spoil();
    }
    for (size_t i = stream.count(8); i > 0 && stream.isGood(); --i) readBelow(stream, parts, depth + 1);
}

Item readItem(QtStream& stream, int32_t version, Taker& taker) {
    Item item;
    if (version < 12) stream.int32();
    item.kind = stream.text();
    item.value = stream.text();
    if (version < 10) stream.text();
    stream.text();  // what the person would have answered
    stream.flag();
    item.stopped = stream.flag();
    item.rated = stream.flag();
    item.rated = stream.flag() || item.rated;
    if (version >= 11 && item.kind == "Response: ") item.failed = stream.flag();
    if (version >= 8) {
        for (size_t i = stream.count(8); i > 0 && stream.isGood(); --i) {
            stream.text();
            const std::string path = stream.text();
            for (int skipped = 0; skipped < 4; ++skipped) stream.text();  // file, title, author, date
            item.parts.push_back({PartKind::Source, stream.text(), path});
            for (int skipped = 0; skipped < 3; ++skipped) stream.int32();  // page, from, to
        }
    } else if (version >= 3) {
        const std::string references = stream.text();
        for (size_t i = stream.count(4); i > 0 && stream.isGood(); --i)
            item.parts.push_back({PartKind::Source, stream.text(), references});
    }
    if (version >= 10) {
        for (size_t i = stream.count(8); i > 0 && stream.isGood(); --i) {
            const std::string address(stream.bytes());
            std::string content(stream.bytes());
            const bool isText = content.find('\0') == std::string::npos && wellFormed(content) == content;
            if (!isText) taker.leftOut(LossKind::Attachments);
            item.parts.push_back(
                {PartKind::Attachment, isText ? std::move(content) : std::string(), nameOf(address)});
        }
    }
    if (version >= 12) {
        std::vector<Part> below;
        for (size_t i = stream.count(8); i > 0 && stream.isGood(); --i) readBelow(stream, below, 0);
        if (!below.empty()) {
            item.value.clear();
            item.parts.insert(item.parts.end(), below.begin(), below.end());
        }
    }
    return item;
}

Result<history::PortableConversation> readChat(std::string_view bytes, Taker& taker) {
    QtStream stream(bytes);
    stream.skip(kMagic.size());
    const int32_t version = stream.int32();
    if (version < 1 || version > kNewest)
        return fail(ErrorCode::Unsupported, "The chat has version {}; versions 1 to {} are read.", version,
                    kNewest);
    history::PortableConversation conversation;
    conversation.origin = "gpt4all";
    const auto seconds = static_cast<int64_t>(stream.number(8));
    conversation.createdMs = seconds > 0 && seconds < int64_t{1} << 40 ? seconds * 1000 : 0;
    stream.text();
    conversation.title = stream.text();
    stream.text();
    const std::string model = stream.text();
    if (version >= 3)
        for (size_t i = stream.count(4); i > 0 && stream.isGood(); --i) stream.text();
    skipState(stream, version);
    for (size_t i = stream.count(4); i > 0 && stream.isGood(); --i) {
        Item item = readItem(stream, version, taker);
        const bool isAnswer = item.kind == "Response: ";
        if (!isAnswer && item.kind != "Prompt: " && item.kind != "System: ") {
            taker.leftOut(LossKind::UnknownMessages);
            continue;
        }
        if (item.rated) taker.leftOut(LossKind::Ratings);
        auto said = isAnswer ? partsOfAnswer(item.value) : partsOfText(item.value);
        item.parts.insert(item.parts.end(), said.begin(), said.end());
        auto message = messageOf(isAnswer                  ? Role::Assistant
                                 : item.kind == "Prompt: " ? Role::User
                                                           : Role::System,
                                 std::move(item.parts), conversation.createdMs);
        if (isAnswer) {
            message.message.modelName = model;
            if (item.stopped) message.message.status = history::MessageStatus::Stopped;
            if (item.failed) message.message.status = history::MessageStatus::Failed;
        }
        append(conversation, std::move(message));
    }
    if (!stream.isGood()) return fail(ErrorCode::Corrupt, "The chat is damaged or ends too early.");
    return conversation;
}

std::vector<std::string> filesIn(const std::string& folder) {
    std::vector<std::string> files = filesBelow(folder, ".chat", 0);
    std::erase_if(files, [](const std::string& path) { return !nameOf(path).starts_with("gpt4all-"); });
    return files;
}

bool recognises(const Source& source) {
    return source.isFolder ? !filesIn(source.path).empty() : source.beginning.starts_with(kMagic);
}

Status translate(const Source& source, Taker& taker) {
    if (!source.isFolder) {
        INGLE_TRY_ASSIGN(const std::string bytes, contentOf(source.path));
        INGLE_TRY_ASSIGN(auto conversation, readChat(bytes, taker));
        return taker.conversation(std::move(conversation));
    }
    for (const std::string& path : filesIn(source.path)) {
        const auto bytes = contentOf(path);
        auto conversation = bytes
                                ? readChat(*bytes, taker)
                                : Result<history::PortableConversation>(tl::unexpected<Error>(bytes.error()));
        if (conversation)
            INGLE_TRY(taker.conversation(std::move(*conversation)));
        else
            taker.leftOut(LossKind::UnreadableConversations);
    }
    return {};
}

}  // namespace

extern const Importer importer{
    .origin = "gpt4all", .program = "GPT4All", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::gpt4all_importer
