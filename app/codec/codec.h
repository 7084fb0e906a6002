/// The codec of everything that is written as JSON. A struct states its fields once, in a function that a
/// writer and a reader both walk through:
///
///     template <typename V>
///     void fields(V& v, codec::Of<Passage> auto& p) {
///         v.required("begin", p.begin);
///         v.sparse("heading", p.heading);
///     }
///
///     required  is always written, and must be there
///     optional  is always written; what is missing stays as it is
///     sparse    is not written where it says nothing: an empty optional, or its default
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/codec/names.h"
#include "ingle/base64.h"
#include "ingle/result.h"

namespace ingle::codec {

/// T is U or const U: one list serves writing (const) and reading.
template <typename T, typename U>
concept Of = std::same_as<std::remove_const_t<T>, U>;

/// What formats differ in.
struct Format {
    bool inSnakeCase = false;      ///< names of enumerators
    bool mayLackRequired = false;  ///< what is missing has its default
    bool isLenient = false;        ///< what is of another kind is as if it were missing
};
inline constexpr Format kStrict{};
inline constexpr Format kExported{.inSnakeCase = true, .mayLackRequired = true};
inline constexpr Format kStored{.inSnakeCase = true, .isLenient = true};

/// A field that is written as something else: `v.required("hash", codec::as<Hex>(hash))`. The coder has
/// write(field), what is written, and read(that), an optional field; nothing: it is not what it should be.
template <typename Coder, typename T>
struct As {
    static constexpr const char* kExpected = Coder::kExpected;
    T& field;

    auto stored() const { return Coder::write(field); }
    bool saysNothing() const { return stored() == Coder::write(std::remove_const_t<T>{}); }
    bool take(const decltype(Coder::write(std::declval<T&>()))& stored) {
        auto read = Coder::read(stored);
        if (!read) return false;
        field = *std::move(read);
        return true;
    }
};
template <typename Coder, typename T>
As<Coder, T> as(T& field) {
    return {field};
}
template <typename T>
concept Coded = requires(const T& coded) {
    coded.saysNothing();
};

/// Bytes as hexadecimal digits.
struct Hex {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    static constexpr const char* kExpected = "a string of hexadecimal digits";

    static std::string write(std::string_view bytes) {
        std::string hex;
        hex.reserve(bytes.size() * 2);
        for (const unsigned char byte : bytes) {
            hex += kDigits[byte >> 4];
            hex += kDigits[byte & 15];
        }
        return hex;
    }
    static std::optional<std::string> read(std::string_view hex) {
        if (hex.size() % 2 != 0) return std::nullopt;
        std::string bytes;
        bytes.reserve(hex.size() / 2);
        for (size_t i = 0; i < hex.size(); i += 2) {
            const size_t high = kDigits.find(hex[i]), low = kDigits.find(hex[i + 1]);
            if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
            bytes += static_cast<char>(high << 4 | low);
        }
        return bytes;
    }
};

/// Bytes as Base64.
struct Base64 {
    static constexpr const char* kExpected = "a string in Base64";

    static std::string write(std::string_view bytes) { return toBase64(bytes); }
    static std::optional<std::string> read(std::string_view text) { return fromBase64(text); }
};

/// 64 bits as decimal digits in a text: JSON readers differ about such numbers.
struct Digits {
    static constexpr const char* kExpected = "a number of 64 bits in a text";

    static std::string write(uint64_t value) { return std::to_string(value); }
    static std::optional<uint64_t> read(const std::string& digits) {
        uint64_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value);
        if (!digits.empty() && (read.ec != std::errc() || read.ptr != end)) return std::nullopt;
        return value;
    }
};

/// Written compactly, on one line; what is not valid UTF-8 becomes U+FFFD.
template <typename Json>
std::string textOf(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <Format format, typename Json = nlohmann::json>
class Writer;

template <typename T>
concept HasFields = requires(Writer<kStrict>& writer, const T& value) {
    fields(writer, value);
};

template <Format format, typename Json>
class Writer {
  public:
    static constexpr bool kReads = false;

    template <typename T>
    void required(const char* name, const T& field) {
        m_object[name] = jsonOf(field);
    }
    template <typename T>
    void optional(const char* name, const T& field) {
        required(name, field);
    }
    template <typename T>
    void sparse(const char* name, const T& field) {
        sparse(name, field, T{});
    }
    /// `usual`: what says nothing.
    template <typename T>
    void sparse(const char* name, const T& field, const T& usual) {
        if (!(field == usual)) required(name, field);
    }
    template <Coded T>
    void sparse(const char* name, const T& field) {
        if (!field.saysNothing()) required(name, field);
    }
    template <typename T>
    void sparse(const char* name, const std::optional<T>& field) {
        if (field) required(name, *field);
    }
    template <typename T>
    void sparse(const char* name, const std::vector<T>& field) {
        if (!field.empty()) required(name, field);
    }
    Json take() { return std::move(m_object); }

    template <typename T>
    static Json jsonOf(const T& value) {
        if constexpr (std::is_enum_v<T> && format.inSnakeCase) {
            return snakeNameOf(value);
        } else if constexpr (std::is_enum_v<T>) {
            return nameOf(value);
        } else if constexpr (Coded<T>) {
            return jsonOf(value.stored());
        } else if constexpr (HasFields<T>) {
            Writer writer;
            fields(writer, value);
            return writer.take();
        } else {
            return Json(value);
        }
    }
    template <typename T>
    static Json jsonOf(const std::vector<T>& list) {
        Json array = Json::array();
        for (const T& each : list) array.push_back(jsonOf(each));
        return array;
    }

  private:
    Json m_object = Json::object();
};

/// What a format calls a struct, for sentences: "part"; empty: it has no word for it.
template <typename T>
constexpr std::string_view nounOf() {
    if constexpr (requires { T::kNoun; }) return T::kNoun;
    return {};
}

/// The first thing that is wrong.
struct Mistake {
    std::string_view noun;  ///< of the struct
    std::string field;      ///< empty: what should be such a struct is no object
    std::string what;       ///< "is missing"

    std::string sentence() const {
        return field.empty() ? "it " + what : fmt::format("the field \"{}\" {}", field, what);
    }
};

/// Reads fields of one object. The first mistake is kept and what follows is skipped; where the format is
/// lenient the only one is that something required is not there.
template <Format format>
class Reader {
  public:
    static constexpr bool kReads = true;
    using Json = nlohmann::json;

    /// `object` must outlive it; `noun`: what the format calls it.
    explicit Reader(const Json& object, std::string_view noun = {}) : m_object(object), m_noun(noun) {
        if (!object.is_object()) complain("", "is not an object");
    }

    template <typename T>
    void required(const char* name, T&& field) {
        if (isOver()) return;
        const Json* found = find(name);
        if (!found && !format.mayLackRequired) complain(name, "is missing");
        if (found && !read(*found, field)) complainOf(name);
    }
    template <typename T>
    void optional(const char* name, T&& field) {
        if (isOver()) return;
        const Json* found = find(name);
        if (found && !read(*found, field) && !format.isLenient) complainOf(name);
    }
    template <typename T>
    void sparse(const char* name, T&& field) {
        optional(name, field);
    }
    template <typename T>
    void sparse(const char* name, T& field, const T&) {
        optional(name, field);
    }

    const std::optional<Mistake>& mistake() const { return m_mistake; }

  private:
    bool isOver() const { return m_mistake && (!format.isLenient || !m_object.is_object()); }
    const Json* find(const char* name) const {
        const auto found = m_object.find(name);
        return found == m_object.end() ? nullptr : &*found;
    }
    void complain(std::string field, std::string what) {
        if (!m_mistake) m_mistake = Mistake{m_noun, std::move(field), std::move(what)};
    }
    /// Of a field that could not be read, or of what is wrong inside of it.
    void complainOf(const char* name) {
        if (m_inner && !m_mistake) m_mistake = std::move(m_inner);
        complain(name, "is not " + m_expected);
    }
    bool isNot(std::string expected) {
        m_expected = std::move(expected);
        return false;
    }

    // Whether the value fits; where it does not, `field` may be anything unless the format is lenient.

    bool read(const Json& value, std::string& field) {
        if (!value.is_string()) return isNot("a string");
        field = value.get_ref<const std::string&>();
        return true;
    }
    bool read(const Json& value, bool& field) {
        if (!value.is_boolean()) return isNot("true or false");
        field = value.get<bool>();
        return true;
    }
    bool read(const Json& value, Json& field) {
        field = value;
        return true;
    }
    template <typename T>
    requires(std::integral<T> || std::floating_point<T>) bool read(const Json& value, T& field) {
        using Limits = std::numeric_limits<T>;
        if constexpr (format.isLenient || std::floating_point<T>) {
            if (!value.is_number()) return isNot("a number");
            const double number = value.get<double>();
            if (!(number >= static_cast<double>(Limits::lowest()) &&
                  number <= static_cast<double>(Limits::max())))
                return isNot("a finite number");
            field = static_cast<T>(number);
            return true;
        } else {
            const bool fits = value.is_number_unsigned()
                                  ? std::in_range<T>(value.get<uint64_t>())
                                  : value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
            if (!fits)
                return isNot(fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
            field = value.is_number_unsigned() ? static_cast<T>(value.get<uint64_t>())
                                               : static_cast<T>(value.get<int64_t>());
            return true;
        }
    }
    template <typename T>
    requires std::is_enum_v<T>
    bool read(const Json& value, T& field) {
        std::optional<T> known;
        if (value.is_string()) {
            const auto& text = value.get_ref<const std::string&>();
            known = format.inSnakeCase ? snakeNamed<T>(text) : named<T>(text);
        }
        if (!known) return isNot("one of the values this version knows");
        field = *known;
        return true;
    }
    template <Coded T>
    bool read(const Json& value, T& coded) {
        decltype(coded.stored()) stored{};
        return read(value, stored) && (coded.take(stored) || isNot(T::kExpected));
    }
    template <HasFields T>
    bool read(const Json& value, T& field) {
        Reader reader(value, nounOf<T>());
        fields(reader, field);
        m_inner = reader.mistake();
        return !m_inner;
    }
    template <typename T>
    bool read(const Json& value, std::optional<T>& field) {
        T read_{};
        if (!read(value, read_)) return false;
        field = std::move(read_);
        return true;
    }
    template <typename T>
    bool read(const Json& value, std::vector<T>& field) {
        if (!value.is_array()) return isNot("a list");
        field.clear();
        field.reserve(value.size());
        for (const Json& each : value)
            if (!read(each, field.emplace_back())) return false;
        return true;
    }
    template <typename T>
    bool read(const Json& value, std::map<std::string, T>& field) {
        if (!value.is_object()) return isNot("an object");
        field.clear();
        for (const auto& [key, item] : value.items()) {
            T read_{};
            if (read(item, read_))
                field.emplace(key, std::move(read_));
            else if (!format.isLenient)
                return false;
        }
        return true;
    }

    const Json& m_object;
    const std::string_view m_noun;
    std::optional<Mistake> m_mistake;
    std::optional<Mistake> m_inner;  ///< of the field that was read last
    std::string m_expected;          ///< in place of it
};

/// What has no fields.
template <typename V, typename T>
requires std::is_empty_v<T>
void fields(V&, T&) {}

}  // namespace ingle::codec
