#include "app/documents/iconv_text.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "ingle/utf8.h"

namespace ingle::documents {
namespace {

class Conversion {
  public:
    Conversion(const char* to, const char* from) : m_conversion(::iconv_open(to, from)) {}
    ~Conversion() {
        if (isOpen()) ::iconv_close(m_conversion);
    }
    Conversion(Conversion&& other) noexcept : m_conversion(std::exchange(other.m_conversion, kNone)) {}
    Conversion& operator=(Conversion&&) = delete;

    bool isOpen() const { return m_conversion != kNone; }

    /// As iconv(), of which `in` and `out` are moved on.
    size_t run(std::string_view& in, std::span<char>& out) {
        char* from = const_cast<char*>(in.data());
        char* to = out.data();
        size_t numIn = in.size(), numOut = out.size();
        const size_t result = ::iconv(m_conversion, &from, &numIn, &to, &numOut);
        in = in.substr(in.size() - numIn);
        out = out.subspan(out.size() - numOut);
        return result;
    }
    /// What is held back for a character that might be composed with the next.
    size_t finish(std::span<char>& out) {
        char* to = out.data();
        size_t numOut = out.size();
        const size_t result = ::iconv(m_conversion, nullptr, nullptr, &to, &numOut);
        out = out.subspan(out.size() - numOut);
        return result;
    }

  private:
    inline static const iconv_t kNone = reinterpret_cast<iconv_t>(-1);
    iconv_t m_conversion;
};

/// Bytes of what its characters are made of.
size_t unitBytes(std::string_view encoding) {
    return encoding.starts_with("UTF-16") ? 2 : encoding.starts_with("UTF-32") ? 4 : 1;
}

}  // namespace

std::optional<Decoded> decodedFrom(const char* encoding, std::string_view bytes) {
    Conversion conversion("UTF-8", encoding);
    if (!conversion.isOpen()) return std::nullopt;
    const size_t unit = unitBytes(encoding);
    Decoded decoded;
    decoded.text.reserve(bytes.size() + bytes.size() / 2);
    std::array<char, 16384> buffer;
    while (!bytes.empty()) {
        std::span<char> out(buffer);
        const size_t result = conversion.run(bytes, out);
        const int reason = result == static_cast<size_t>(-1) ? errno : 0;
        decoded.text.append(buffer.data(), buffer.size() - out.size());
        if (reason != EILSEQ && reason != EINVAL) continue;  // done, or the buffer is full
        decoded.text += kReplacementText;
        decoded.numBroken += unit;
        bytes.remove_prefix(std::min(unit, bytes.size()));
    }
    std::span<char> out(buffer);
    conversion.finish(out);
    decoded.text.append(buffer.data(), buffer.size() - out.size());
    return decoded;
}

void keepEncoding(const char* encoding) {
    // What was loaded stays as long as one conversion that uses it does.
    static std::vector<Conversion> kept;
    kept.emplace_back("UTF-8", encoding);
    kept.emplace_back(encoding, "UTF-8");
}

}  // namespace ingle::documents
