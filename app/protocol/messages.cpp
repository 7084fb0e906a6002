/// JSON codec of the host protocol, over the field lists of fields.h.
#include "app/protocol/messages.h"

#include <nlohmann/json.hpp>

#include "app/protocol/fields.h"

namespace ingle::protocol {
namespace {

using nlohmann::json;

using Writer = codec::Writer<codec::kStrict>;
using Reader = codec::Reader<codec::kStrict>;

template <typename Body>
std::string encodeMessage(uint64_t id, const char* kind, const Body& body) {
    Writer writer;
    writer.required("id", id);
    std::visit(
        [&](const auto& alternative) {
            writer.required(kind, alternative.kName);
            fields(writer, alternative);
        },
        body);
    return codec::textOf(writer.take());
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
    std::string name;
    Reader reader(object);
    reader.required("id", message.id);
    reader.required(kind, name);
    if (!reader.mistake() && !readBody(name, reader, message.body))
        return fail(ErrorCode::Corrupt, "Not a protocol message: this version knows no {} called \"{}\".",
                    kind, name.substr(0, 64));
    if (!reader.mistake()) return message;
    return fail(ErrorCode::Corrupt, "Not a protocol message: {}.", reader.mistake()->sentence());
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
