#include "app/serve/api/json_text.h"

namespace ingle::serve::api {

nlohmann::ordered_json parseJson(std::string_view text) {
    using Json = nlohmann::ordered_json;
    bool isTooDeep = false;
    const auto keep = [&isTooDeep](int depth, Json::parse_event_t, Json&) {
        isTooDeep = isTooDeep || depth > kMostDepth;
        return depth <= kMostDepth;
    };
    Json parsed = Json::parse(text, keep, /*allow_exceptions=*/false);
    return isTooDeep ? Json(Json::value_t::discarded) : parsed;
}

}  // namespace ingle::serve::api
