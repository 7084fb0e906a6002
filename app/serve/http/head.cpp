#include "app/serve/http/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ingle::serve::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kBlanks = " \t";

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

/// What a name consists of (RFC 9110, 5.6.2): nothing else, no blank before the colon either (RFC 9112, 5.1).
bool isToken(std::string_view name) {
    static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
    });
}

bool isControl(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Takes `text` up to `mark`, and the mark.
std::string_view takeUntil(std::string_view& text, std::string_view mark) {
    const size_t end = text.find(mark);
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + mark.size());
    return taken;
}

/// What stands for a byte as %41 does becomes that byte; what does not is left.
std::string decoded(std::string_view text) {
    std::string plain;
    for (size_t at = 0; at < text.size(); ++at) {
        unsigned char byte = 0;
        const bool isCode = text[at] == '%' && at + 2 < text.size();
        const char* const digits = text.data() + at + 1;
        if (isCode && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            plain += static_cast<char>(byte);
            at += 2;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

tl::unexpected<Response> malformed(std::string_view message, std::string_view code) {
    return tl::unexpected(refusal(400, message, code));
}

tl::expected<void, Response> readRequestLine(std::string_view line, Head& head) {
    const std::string_view method = takeUntil(line, " "), target = takeUntil(line, " ");
    const bool isTarget =
        !target.empty() && std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; });
    if (!isToken(method) || !isTarget || line.size() != 8 || !line.starts_with("HTTP/"))
        return malformed("The first line of the request is malformed.", "malformed_request");
    if (line != "HTTP/1.1" && line != "HTTP/1.0")
        return malformed("This server speaks HTTP/1.1.", "unsupported_version");
    head.isOld = line == "HTTP/1.0";
    head.request.method = method;
    head.request.path = decoded(target.substr(0, target.find('?')));
    return {};
}

/// A header that stands there twice counts as both, one behind the other (RFC 9110, 5.3).
bool readHeader(std::string_view line, std::map<std::string, std::string>& headers) {
    const size_t colon = line.find(':');
    if (colon == line.npos || !isToken(line.substr(0, colon))) return false;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (std::ranges::any_of(value, isControl)) return false;
    const auto [at, isNew] = headers.try_emplace(lowered(line.substr(0, colon)), value);
    if (!isNew && at->first == "host") return false;  // for whom is it?
    if (!isNew) at->second.append(", ").append(value);
    return true;
}

/// A proxy before this might take another length for the true one, and what is left of the body for a request
/// of somebody else (RFC 9112, 6.3 and 11.2). So it has at most one, said in the one way that everybody reads
/// alike.
bool readLength(Head& head) {
    const auto& headers = head.request.headers;
    const auto length = headers.find("content-length"), encoding = headers.find("transfer-encoding");
    if (encoding != headers.end()) {
        head.isChunked = lowered(encoding->second) == "chunked";
        return head.isChunked && length == headers.end() && !head.isOld;
    }
    if (length == headers.end()) return true;
    const std::string& digits = length->second;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), head.length);
    return read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

/// Whether the header, a list, names `option`.
bool lists(std::string_view header, std::string_view option) {
    while (!header.empty())
        if (lowered(trimmed(takeUntil(header, ","))) == option) return true;
    return false;
}

}  // namespace

Response refusal(int status, std::string_view message, std::string_view code) {
    return {.status = status,
            .body = fmt::format(R"({{"error":{{"message":"{}","type":"{}","param":null,"code":"{}"}}}})",
                                message, status < 500 ? "invalid_request_error" : "server_error", code),
            .headers = {{"Content-Type", "application/json"}}};
}

HeadScanner::Found HeadScanner::scan(std::string_view bytes) {
    for (; m_scanned < bytes.size(); ++m_scanned) {
        const char c = bytes[m_scanned];
        const bool isAfterReturn = m_scanned > 0 && bytes[m_scanned - 1] == '\r';
        if (c == '\0' || (c == '\n') != isAfterReturn) return Found::Malformed;
        if (c == '\n' && m_scanned >= 3 && bytes.substr(m_scanned - 3, 2) == kLineEnd) {
            ++m_scanned;
            return Found::End;
        }
    }
    return Found::Nothing;
}

tl::expected<Head, Response> readHead(std::string_view text) {
    Head head;
    if (auto line = readRequestLine(takeUntil(text, kLineEnd), head); !line)
        return tl::unexpected(line.error());
    while (!text.empty()) {
        const std::string_view line = takeUntil(text, kLineEnd);
        if (line.empty()) break;
        if (!readHeader(line, head.request.headers))
            return malformed("A header of the request is malformed.", "malformed_header");
    }
    if (!head.isOld && !head.request.headers.contains("host"))
        return malformed("The request does not say for which host it is.", "malformed_header");
    if (!readLength(head))
        return malformed("How long the request is was not said in one plain way.", "ambiguous_length");
    const std::string_view connection = head.request.header("connection");
    head.keepsOpen = head.isOld ? lists(connection, "keep-alive") : !lists(connection, "close");
    head.expectsContinue = !head.isOld && lowered(head.request.header("expect")) == "100-continue";
    return head;
}

}  // namespace ingle::serve::http
