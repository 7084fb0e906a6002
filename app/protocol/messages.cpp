/// JSON codec of the host protocol, over the field lists of fields.h.
#include "app/protocol/messages.h"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "app/protocol/fields.h"

namespace ingle::protocol {
namespace {

using nlohmann::json;

std::string toHex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const unsigned char byte : bytes) {
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 15];
    }
    return hex;
}

std::optional<unsigned> hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return std::nullopt;
}

std::optional<std::string> fromHex(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(hex.size() / 2);
    for (size_t i = 0; i < hex.size(); i += 2) {
        const auto high = hexDigit(hex[i]);
        const auto low = hexDigit(hex[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes += static_cast<char>(*high << 4 | *low);
    }
    return bytes;
}

template <typename T>
json toJson(const T& value);

class Writer {
  public:
    template <typename T>
    void required(const char* name, const T& field) {
        m_object[name] = toJson(field);
    }
    template <typename T>
    void optional(const char* name, const T& field) {
        required(name, field);
    }
    template <typename T>
    void sparse(const char* name, const T& field) {
        if (field != T{}) required(name, field);
    }
    template <typename T>
    void sparse(const char* name, const std::optional<T>& field) {
        if (field) required(name, *field);
    }
    void hexBytes(const char* name, const std::string& bytes) { m_object[name] = toHex(bytes); }

    json m_object = json::object();
};

template <typename T>
concept HasFields = requires(Writer& writer, const T& value) {
    fields(writer, value);
};

template <typename T>
json listToJson(const std::vector<T>& list) {
    json array = json::array();
    for (const T& item : list) array.push_back(toJson(item));
    return array;
}

template <typename T>
json toJson(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        for (const auto& [enumerator, name] : EnumNames<T>::kList) {
            if (enumerator == value) return name;
        }
        return nullptr;
    } else if constexpr (HasFields<T>) {
        Writer writer;
        fields(writer, value);
        return std::move(writer.m_object);
    } else if constexpr (
        requires { typename T::mapped_type; } || !requires { value.begin(); } ||
        std::is_same_v<T, std::string>) {
        return value;
    } else {
        return listToJson(value);
    }
}

/// Reads fields of one object; the first mistake is kept and what follows is skipped.
class Reader {
  public:
    Reader(const json& object, std::string& mistake) : m_object(object), m_mistake(mistake) {
        if (!object.is_object()) complain("it is not an object");
    }

    template <typename T>
    void required(const char* name, T& field) {
        if (!m_mistake.empty()) return;
        const auto found = m_object.find(name);
        if (found == m_object.end()) {
            m_mistake = fmt::format("the field \"{}\" is missing", name);
            return;
        }
        read(name, *found, field);
    }
    template <typename T>
    void optional(const char* name, T& field) {
        if (m_mistake.empty() && m_object.contains(name)) required(name, field);
    }
    template <typename T>
    void sparse(const char* name, T& field) {
        optional(name, field);
    }
    template <typename T>
    void sparse(const char* name, std::optional<T>& field) {
        if (m_mistake.empty() && m_object.contains(name)) required(name, field.emplace());
    }
    void hexBytes(const char* name, std::string& bytes) {
        std::string hex;
        optional(name, hex);
        if (!m_mistake.empty()) return;
        if (auto decoded = fromHex(hex)) {
            bytes = std::move(*decoded);
        } else {
            complain(fmt::format("the field \"{}\" is not a string of hexadecimal digits", name));
        }
    }

  private:
    void complain(std::string sentence) {
        if (m_mistake.empty()) m_mistake = std::move(sentence);
    }
    void mistyped(const char* name, const char* expected) {
        complain(fmt::format("the field \"{}\" is not {}", name, expected));
    }

    void read(const char* name, const json& value, std::string& field) {
        if (!value.is_string()) return mistyped(name, "a string");
        field = value.get_ref<const std::string&>();
    }
    void read(const char* name, const json& value, bool& field) {
        if (!value.is_boolean()) return mistyped(name, "true or false");
        field = value.get<bool>();
    }
    template <std::integral T>
    void read(const char* name, const json& value, T& field) {
        const bool fits = value.is_number_unsigned()
                              ? std::in_range<T>(value.get<uint64_t>())
                              : value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
        if (!fits) {
            complain(fmt::format("the field \"{}\" is not a whole number from {} to {}", name,
                                 std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
            return;
        }
        field = value.is_number_unsigned() ? static_cast<T>(value.get<uint64_t>())
                                           : static_cast<T>(value.get<int64_t>());
    }
    template <std::floating_point T>
    void read(const char* name, const json& value, T& field) {
        if (!value.is_number()) return mistyped(name, "a number");
        const double number = value.get<double>();
        if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<T>::max()))) {
            return mistyped(name, "a finite number");
        }
        field = static_cast<T>(number);
    }
    template <typename T>
    requires std::is_enum_v<T>
    void read(const char* name, const json& value, T& field) {
        if (value.is_string()) {
            for (const auto& [enumerator, text] : EnumNames<T>::kList) {
                if (value.get_ref<const std::string&>() == text) {
                    field = enumerator;
                    return;
                }
            }
        }
        mistyped(name, "one of the values this version knows");
    }
    template <HasFields T>
    void read(const char*, const json& value, T& field) {
        Reader reader(value, m_mistake);
        fields(reader, field);
    }
    template <typename T>
    void read(const char* name, const json& value, std::vector<T>& field) {
        if (!value.is_array()) return mistyped(name, "a list");
        field.assign(value.size(), T{});
        for (size_t i = 0; i < value.size() && m_mistake.empty(); ++i) read(name, value[i], field[i]);
    }
    template <typename T>
    void read(const char* name, const json& value, std::map<std::string, T>& field) {
        if (!value.is_object()) return mistyped(name, "an object");
        field.clear();
        for (const auto& [key, item] : value.items()) {
            if (!m_mistake.empty()) return;
            read(name, item, field[key]);
        }
    }

    const json& m_object;
    std::string& m_mistake;
};

template <typename Body>
std::string encodeMessage(uint64_t id, const char* kind, const Body& body) {
    Writer writer;
    writer.required("id", id);
    std::visit(
        [&](const auto& alternative) {
            writer.m_object[kind] = std::remove_cvref_t<decltype(alternative)>::kName;
            fields(writer, alternative);
        },
        body);
    return writer.m_object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Makes `body` the alternative called `name` and reads its fields; false when there is no such name.
template <size_t I = 0, typename Body>
bool readBody(std::string_view name, Reader& reader, Body& body) {
    if constexpr (I == std::variant_size_v<Body>) {
        return false;
    } else {
        if (std::variant_alternative_t<I, Body>::kName != name) return readBody<I + 1>(name, reader, body);
        fields(reader, body.template emplace<I>());
        return true;
    }
}

template <typename Message>
Result<Message> decodeMessage(const json& object, size_t numBytes, const char* kind) {
    if (object.is_discarded()) {
        return fail(ErrorCode::Corrupt, "Not a protocol message: {} bytes that are not JSON.", numBytes);
    }
    Message message;
    std::string mistake;
    std::string name;
    Reader reader(object, mistake);
    reader.required("id", message.id);
    reader.required(kind, name);
    if (mistake.empty() && !readBody(name, reader, message.body)) {
        mistake = fmt::format("this version knows no {} called \"{}\"", kind, name.substr(0, 64));
    }
    if (!mistake.empty()) return fail(ErrorCode::Corrupt, "Not a protocol message: {}.", mistake);
    return message;
}

}  // namespace

std::string encode(const Request& request) {
    return encodeMessage(request.id, "op", request.body);
}

std::string encode(const Event& event) {
    return encodeMessage(event.id, "event", event.body);
}

Result<Request> decodeRequest(std::string_view line) {
    return decodeMessage<Request>(json::parse(line, nullptr, false), line.size(), "op");
}

Result<Event> decodeEvent(std::string_view line) {
    return decodeMessage<Event>(json::parse(line, nullptr, false), line.size(), "event");
}

RequestId idOfRefused(std::string_view line) {
    const json object = json::parse(line, nullptr, false);
    const auto id = object.is_object() ? object.find("id") : object.end();
    return id != object.end() && id->is_number_unsigned() ? id->get<RequestId>() : 0;
}

}  // namespace ingle::protocol
