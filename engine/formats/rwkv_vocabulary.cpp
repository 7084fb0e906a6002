#include "engine/formats/rwkv_vocabulary.h"

#include <charconv>
#include <optional>

#include "ingle/error_ids.h"
#include "ingle/utf8.h"

namespace ingle::formats {
namespace {

constexpr uint32_t kMaxId = 1 << 20;

template <typename T>
std::optional<T> parseWhole(std::string_view text, int base = 10) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The bytes of a literal of Python; nothing when it is none.
std::optional<std::string> parseLiteral(std::string_view literal) {
    const bool isBytes = literal.starts_with('b');
    if (isBytes) literal.remove_prefix(1);
    if (literal.size() < 2 || (literal[0] != '\'' && literal[0] != '"') || literal.back() != literal[0])
        return std::nullopt;
    literal = literal.substr(1, literal.size() - 2);
    std::string out;
    for (size_t at = 0; at < literal.size();) {
        if (literal[at] != '\\') {
            out += literal[at++];
            continue;
        }
        if (at + 1 == literal.size()) return std::nullopt;
        const char kind = literal[at + 1];
        at += 2;
        constexpr std::string_view kNames = "\\'\"nrtabfv";
        constexpr std::string_view kValues = "\\'\"\n\r\t\a\b\f\v";
        if (const size_t simple = kNames.find(kind); simple != std::string_view::npos) {
            out += kValues[simple];
            continue;
        }
        const bool isOctal = kind >= '0' && kind <= '7';
        size_t digits = kind == 'x' ? 2 : kind == 'u' && !isBytes ? 4 : kind == 'U' && !isBytes ? 8 : 0;
        if (isOctal) {
            --at;
            while (digits < 3 && at + digits < literal.size() && literal[at + digits] >= '0' &&
                   literal[at + digits] <= '7')
                ++digits;
        }
        if (digits == 0 || at + digits > literal.size()) return std::nullopt;
        const auto code = parseWhole<uint32_t>(literal.substr(at, digits), isOctal ? 8 : 16);
        if (!code || *code > 0x10FFFF || (isBytes && *code > 0xFF)) return std::nullopt;
        at += digits;
        if (isBytes)
            out += static_cast<char>(*code);
        else
            out += encodeUtf8(*code);
    }
    return out;
}

/// As GGUF's converter writes tokens: printable ASCII as it is, other bytes as \xHH.
std::string escaped(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\')
            out += "\\\\";
        else if (byte >= 0x20 && byte < 0x7F)
            out += c;
        else
            out += fmt::format("\\x{:02x}", byte);
    }
    return out;
}

}  // namespace

Result<std::vector<std::string>> parseRwkvVocabulary(std::string_view text) {
    std::vector<std::string> tokens{"<s>"};  // id 0 ends a document and has no line
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        const size_t first = line.find(' ');
        const size_t last = line.rfind(' ');
        const auto wrong = [&] {
            return fail(ErrorCode::Corrupt, "line {} is not \"ID LITERAL LENGTH\"", number);
        };
        if (first == std::string_view::npos || last <= first) return wrong();
        const auto id = parseWhole<uint32_t>(line.substr(0, first));
        const auto literal = parseLiteral(line.substr(first + 1, last - first - 1));
        const auto length = parseWhole<uint32_t>(line.substr(last + 1));
        if (!id || *id == 0 || *id > kMaxId || !literal || length != literal->size()) return wrong();
        if (*id >= tokens.size()) tokens.resize(*id + 1);
        tokens[*id] = escaped(*literal);
    }
    if (tokens.size() == 1) return fail(ErrorCode::Corrupt, "the vocabulary is empty");
    return tokens;
}

Status addRwkvVocabulary(ModelFile& model, const io::Source& source) {
    if (model.tokenizer.model != "rwkv" || !model.tokenizer.tokens.empty()) return {};
    INGLE_TRY_ASSIGN(const auto vocabulary, source.findSibling(kRwkvVocabularyName));
    if (!vocabulary) return {};
    INGLE_TRY_ASSIGN(const auto file, io::MappedFile::map(*vocabulary));
    const auto bytes = file->bytes();
    auto tokens = parseRwkvVocabulary({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!tokens) return happenedTo(vocabulary->path(), std::move(tokens).error());
    model.tokenizer.tokens = std::move(*tokens);
    return {};
}

}  // namespace ingle::formats
