#include "app/bridge/far_errors.h"

#include "app/bridge/json_text.h"
#include "ingle/error_ids.h"

namespace ingle::bridge {
namespace {

Error error(ErrorCode code, std::string message) {
    return {code, std::move(message)};
}

}  // namespace

std::string farMessage(std::string_view body) {
    const auto read = readJson(body);
    if (!read || !read->is_object()) return "";
    const auto found = read->find("error");
    // {"error": {"message": …}}, as OpenAI has it, {"error": …}, and FastAPI's {"detail": …}.
    const nlohmann::json& told = found != read->end() ? *found : *read;
    if (told.is_string()) return shown(told.get<std::string>());
    for (const char* name : {"message", "detail"}) {
        if (const auto text = textAt(told, name)) return shown(*text);
    }
    return "";
}

Error farError(const FarServer& far, const FarEnd& end, std::string_view what) {
    const std::string& host = far.address().host;
    if (end.how == FarEnd::How::Unreachable)
        return withId<ErrorId::FarUnreachable>(
            error(ErrorCode::Io, fmt::format("{} cannot be reached: {}.", host, shown(end.reason))), host);
    if (end.how == FarEnd::How::Untrusted)
        return error(ErrorCode::Io,
                     fmt::format("{} does not prove that it is what it is called, so nothing was sent: {}.",
                                 host, shown(end.reason)));
    if (end.how == FarEnd::How::Enough) return strangeAnswer(far, "more than an answer may have");
    const std::string said = farMessage(end.body);
    const std::string because = said.empty() ? "." : fmt::format(": {}", said);
    switch (end.status) {
        case 0:
            return error(ErrorCode::Io,
                         fmt::format("The connection to {} broke: {}.", host, shown(end.reason)));
        case 401:
        case 403:
            return error(ErrorCode::Io, far.hasKey()
                                            ? fmt::format("{} does not accept the key{}", host, because)
                                            : fmt::format("{} wants a key (--key-file).", host));
        case 404:
            return error(ErrorCode::Unsupported,
                         what.empty()
                             ? fmt::format("{} does not have what was asked for: the address may lack "
                                           "its end, as in https://host/v1.",
                                           host)
                             : fmt::format("{} does not know the model '{}'.", host, shown(what)));
        case 413:
            return error(ErrorCode::InvalidArgument, fmt::format("This is longer than {} takes.", host));
        case 429:
            return error(ErrorCode::Io, fmt::format("{} takes no more requests for now{}", host, because));
        default:
            break;
    }
    if (end.status >= 500)
        return error(ErrorCode::Io, fmt::format("{} reported an error ({}){}", host, end.status, because));
    if (end.status >= 300 && end.status < 400)
        return error(
            ErrorCode::Unsupported,
            fmt::format("{} sends this program elsewhere, where it does not go ({}).", host, end.status));
    return error(ErrorCode::InvalidArgument,
                 fmt::format("{} refuses this ({}){}", host, end.status, because));
}

Error brokenAnswer(const FarServer& far) {
    const std::string& host = far.address().host;
    return withId<ErrorId::FarBroke>(
        error(ErrorCode::Io,
              fmt::format("The connection to {} broke; the answer can be continued by asking again.", host)),
        host);
}

Error cannotGoOn(const FarServer& far) {
    return withId<ErrorId::FarCannot>(
        error(ErrorCode::Unsupported, fmt::format("{} does not go on with an answer that has begun; another "
                                                  "one can be asked for.",
                                                  far.address().host)));
}

Error strangeAnswer(const FarServer& far, std::string_view what) {
    return error(ErrorCode::Corrupt,
                 fmt::format("{} answers otherwise than agreed: {}.", far.address().host, what));
}

}  // namespace ingle::bridge
