/// The fields of a request's JSON object: each is asked for by name, and what nobody asked for is refused by
/// name.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/serve/api/api_error.h"

namespace ingle::serve::api {

/// The body of a request: an object within the limits of ingle/bounded_json.h. Fields keep their order: a
/// schema's says in which one they are written.
Expected<nlohmann::ordered_json> parseBody(std::string_view body);

/// Of one object: "logit_bias" may have as many.
inline constexpr size_t kMostFields = 1024;

/// Of a text whose tokens come back from the engine: a list of millions would hold up the answers of others.
inline constexpr size_t kMostCutBytes = size_t{1} << 20;

/// A field that is null counts as absent. The first mistake is kept: finish() tells it. One thread.
class Fields {
  public:
    /// `place` stands before the names of fields in errors: "messages[0]". `object` must outlive this.
    explicit Fields(const nlohmann::ordered_json& object, std::string place = {});

    std::optional<std::string> text(std::string_view name);
    std::optional<bool> boolean(std::string_view name);
    std::optional<double> number(std::string_view name, double least, double most);
    /// Also as 100.0.
    std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most);
    /// Null: it is not there.
    const nlohmann::ordered_json* any(std::string_view name);
    const nlohmann::ordered_json* object(std::string_view name);
    const nlohmann::ordered_json* list(std::string_view name);

    /// It may stand there and changes nothing.
    void ignore(std::string_view name) { m_known.emplace(name); }
    /// Hints that many clients send unasked, and that say nothing to this server (docs/serve.md lists them).
    void ignoreHints();
    /// It may stand there with that value only, the one that holds anyway.
    void expect(std::string_view name, const nlohmann::ordered_json& value);
    void require(std::string_view name);
    /// Of a field that must be there.
    std::string requiredText(std::string_view name);

    std::string placeOf(std::string_view name) const;
    void complain(ApiError error);
    void complain(std::string message, std::string_view name);
    /// Errors: the first mistake, else a field that was not asked for.
    Expected<void> finish();

  private:
    const nlohmann::ordered_json* find(std::string_view name);

    const nlohmann::ordered_json& m_object;
    const std::string m_place;
    std::set<std::string, std::less<>> m_known;
    std::optional<ApiError> m_mistake;
};

/// What `read`, a function of the fields and of what is asked, finds in a request's body. Errors: the first
/// mistake; a field that is not known.
template <typename Asked, typename Read>
Expected<Asked> readBody(std::string_view body, Read read) {
    auto parsed = parseBody(body);
    if (!parsed) return tl::unexpected(parsed.error());
    Fields fields(*parsed);
    Asked asked;
    read(fields, asked);
    if (auto whole = fields.finish(); !whole) return tl::unexpected(whole.error());
    return asked;
}

}  // namespace ingle::serve::api
