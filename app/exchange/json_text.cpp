#include "app/exchange/json_text.h"

#include <chrono>
#include <cmath>
#include <optional>

namespace ingle::exchange {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

bool begins(Event event) {
    return event == Event::object_start || event == Event::array_start;
}

/// What json::parse() asks about each value.
class Elements {
  public:
    explicit Elements(const TakeElement& take) : m_take(take) {}

    bool operator()(int depth, Event event, json& value) {
        if (depth == 0) {
            if (begins(event)) m_rootIsArray = event == Event::array_start;
            return true;
        }
        if (m_failed) return false;
        if (begins(event)) {
            if (depth == 1) m_memberIsArray = event == Event::array_start;
            return depth < kDeepest;
        }
        if (event == Event::key) {
            if (depth == 1) m_key = value.get<std::string>();
            return true;
        }
        const bool isMember = depth == 1;
        const bool isElement = depth == 2 && !m_rootIsArray && m_memberIsArray;
        if (!isMember && !isElement) return true;
        const bool isTaken = isMember && !m_rootIsArray && event == Event::array_end;  // element by element
        if (!isTaken) {
            if (Status taken = m_take(m_rootIsArray ? std::string_view() : m_key, std::move(value)); !taken)
                m_failed = std::move(taken.error());
        }
        return isMember && !m_rootIsArray && event == Event::value;
    }
    const std::optional<Error>& failed() const { return m_failed; }

  private:
    const TakeElement& m_take;
    bool m_rootIsArray = false;
    bool m_memberIsArray = false;
    std::string m_key;
    std::optional<Error> m_failed;
};

tl::unexpected<Error> damaged() {
    return fail(ErrorCode::Corrupt, "The file is damaged or ends too early: it is no JSON.");
}

/// `count` digits at the beginning, which are taken off.
std::optional<int> digits(std::string_view& text, size_t count) {
    int value = 0;
    if (text.size() < count) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool takeOff(std::string_view& text, std::string_view oneOf) {
    if (text.empty() || oneOf.find(text[0]) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

Result<json> parsed(std::string_view text) {
    json value = json::parse(
        text.begin(), text.end(),
        [](int depth, Event event, json&) { return !begins(event) || depth < kDeepest; },
        /*allow_exceptions=*/false);
    if (value.is_discarded()) return damaged();
    return value;
}

Status forEachElement(std::string_view text, const TakeElement& take) {
    Elements elements(take);
    const json root = json::parse(text.begin(), text.end(), std::ref(elements), /*allow_exceptions=*/false);
    if (elements.failed()) return tl::unexpected<Error>(*elements.failed());
    if (root.is_discarded()) return damaged();
    return {};
}

const json& memberOf(const json& object, std::string_view key) {
    static const json kNone;
    if (!object.is_object()) return kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
}

std::string textMember(const json& object, std::string_view key) {
    const json& value = memberOf(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

double numberMember(const json& object, std::string_view key) {
    const json& value = memberOf(object, key);
    return value.is_number() ? value.get<double>() : 0;
}

bool flagMember(const json& object, std::string_view key) {
    const json& value = memberOf(object, key);
    return value.is_boolean() && value.get<bool>();
}

int64_t millisecondsOf(double time) {
    // 1e11 s is in the year 5138; 1e11 ms in 1973, when nobody kept chats.
    if (!(time > 0) || time > 1e19) return 0;
    if (time < 1e11) return static_cast<int64_t>(std::llround(time * 1000));
    while (time > 1e14) time /= 1000;  // microseconds, nanoseconds
    return static_cast<int64_t>(std::llround(time));
}

int64_t millisecondsOf(std::string_view time) {
    const auto year = digits(time, 4);
    if (!year || !takeOff(time, "-")) return 0;
    const auto month = digits(time, 2);
    if (!month || !takeOff(time, "-")) return 0;
    const auto day = digits(time, 2);
    if (!day) return 0;
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                                           std::chrono::day(unsigned(*day))};
    if (!date.ok()) return 0;
    int64_t seconds = int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86400;
    int64_t milliseconds = 0;
    if (takeOff(time, "T ")) {
        const auto hour = digits(time, 2);
        if (!hour || !takeOff(time, ":")) return 0;
        const auto minute = digits(time, 2);
        if (!minute) return 0;
        seconds += *hour * 3600 + *minute * 60;
        if (takeOff(time, ":")) seconds += digits(time, 2).value_or(0);
        if (takeOff(time, ".")) {
            int64_t unit = 100;
            while (const auto digit = digits(time, 1)) {
                milliseconds += *digit * unit;
                unit /= 10;
            }
        }
        const bool isWest = time.starts_with('-');
        if (takeOff(time, "+-")) {
            const auto hours = digits(time, 2);
            (void)takeOff(time, ":");  // may be left out
            const auto minutes = digits(time, 2);
            const int64_t offset = hours.value_or(0) * 3600 + minutes.value_or(0) * 60;
            seconds += isWest ? offset : -offset;
        }
    }
    return seconds * 1000 + milliseconds;
}

int64_t timeMember(const json& object, std::string_view key) {
    const json& value = memberOf(object, key);
    if (value.is_string()) return millisecondsOf(std::string_view(value.get_ref<const std::string&>()));
    return value.is_number() ? millisecondsOf(value.get<double>()) : 0;
}

}  // namespace ingle::exchange
