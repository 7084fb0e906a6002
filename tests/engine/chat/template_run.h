/// Rendering templates in tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/jinja/template.h"

namespace ingle::chat {

inline std::string textOf(const std::vector<tokenizer::TextSegment>& segments) {
    std::string text;
    for (const auto& segment : segments) text += segment.text;
    return text;
}

/// 2025-07-26 12:34:56, a Saturday.
inline std::tm fixedTime() {
    std::tm time{};
    time.tm_year = 125;
    time.tm_mon = 6;
    time.tm_mday = 26;
    time.tm_hour = 12;
    time.tm_min = 34;
    time.tm_sec = 56;
    time.tm_wday = 6;
    time.tm_yday = 206;
    return time;
}

/// Renders with the members of a JSON object as variables.
inline Result<std::vector<tokenizer::TextSegment>> renderSegments(const std::string& source,
                                                                  const nlohmann::ordered_json& variables = {
                                                                      {"x", 0}}) {
    INGLE_TRY_ASSIGN(const jinja::Template parsed, jinja::Template::parse(source));
    INGLE_TRY_ASSIGN(const jinja::Value context, jinja::fromJson(variables));
    jinja::Meter meter;
    return parsed.render(*context.dict(), fixedTime(), meter);
}

/// The text, or "error: …".
inline std::string renderText(const std::string& source,
                              const nlohmann::ordered_json& variables = {{"x", 0}}) {
    const auto segments = renderSegments(source, variables);
    return segments ? textOf(*segments) : "error: " + segments.error().message;
}

}  // namespace ingle::chat
