#include <array>

#include "engine/grammar/json_text.h"

namespace ingle::grammar {
namespace {

Expr dateText() {
    const auto days = [](int last) { return integersFrom(10, last); };
    const Expr early = sequence({literal("0"), digit('1', '9')});
    const Expr long31 = choice({literal("01"), literal("03"), literal("05"), literal("07"), literal("08"),
                                literal("10"), literal("12")});
    const Expr long30 = choice({literal("04"), literal("06"), literal("09"), literal("11")});
    // The 29th of February is left out: it is in some years only. So is the year 0, which not all know.
    const Expr known = choice({sequence({digit('1', '9'), digits(3, 3)})});
    return sequence({known, literal("-"),
                     choice({sequence({long31, literal("-"), choice({early, days(31)})}),
                             sequence({long30, literal("-"), choice({early, days(30)})}),
                             sequence({literal("02-"), choice({early, days(28)})})})});
}

Expr timeText() {
    const Expr hour =
        choice({sequence({digit('0', '1'), digit()}), sequence({literal("2"), digit('0', '3')})});
    const Expr sixty = sequence({digit('0', '5'), digit()});
    const Expr offset = sequence({oneOf({{'+', '+'}, {'-', '-'}}), hour, literal(":"), sixty});
    return sequence({hour, literal(":"), sixty, literal(":"), sixty,
                     maybe(sequence({literal("."), digits(1, 6)})), choice({literal("Z"), offset})});
}

Expr uuidText() {
    const auto group = [](uint32_t count) { return hexDigits(count, count); };
    const Expr dash = literal("-");
    return sequence({group(8), dash, group(4), dash, group(4), dash, group(4), dash, group(12)});
}

/// Letters and digits, with what else may stand between them.
Expr label(uint32_t most) {
    const std::vector<CodeRange> ends{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    std::vector<CodeRange> inner = ends;
    inner.push_back({'-', '-'});
    return sequence({oneOf(ends), maybe(sequence({repeat(oneOf(inner), 0, most - 2), oneOf(ends)}))});
}

Expr hostText() {
    constexpr uint32_t kMostLabel = 40, kMostLabels = 5;  // shorter than 253 in all
    return sequence({label(kMostLabel), repeat(sequence({literal("."), label(kMostLabel)}), 0, kMostLabels)});
}

Expr emailText() {
    const Expr atom =
        repeat(oneOf({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}, {'+', '+'}, {'-', '-'}}), 1, 30);
    const Expr local = sequence({atom, maybe(sequence({literal("."), atom}))});
    const Expr domain = sequence(
        {repeat(sequence({label(40), literal(".")}), 1, 4), repeat(oneOf({{'A', 'Z'}, {'a', 'z'}}), 2, 12)});
    return sequence({local, literal("@"), domain});
}

Expr ipv4Text() {
    const Expr byte = integersFrom(0, 255);
    return sequence({byte, repeat(sequence({literal("."), byte}), 3, 3)});
}

Expr ipv6Text() {
    const Expr group = hexDigits(1, 4);
    const Expr next = sequence({literal(":"), group});
    Expr out = choice({sequence({group, repeat(next, 7, 7)})});
    // "::" in the place of two groups or more.
    for (uint32_t before = 0; before <= 6; ++before) {
        const Expr begin = before == 0 ? Expr{} : sequence({group, repeat(next, before - 1, before - 1)});
        const Expr end = before == 6 ? Expr{} : maybe(sequence({group, repeat(next, 0, 5 - before)}));
        out.parts.push_back(sequence({begin, literal("::"), end}));
    }
    return out;
}

Expr uriCharacters(std::string_view others) {
    std::vector<CodeRange> ranges{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    for (const char each : others)
        ranges.push_back({static_cast<char32_t>(each), static_cast<char32_t>(each)});
    return choice({oneOf(std::move(ranges)), sequence({literal("%"), hexDigits(2, 2)})});
}

/// Path, query and fragment.
Expr uriRest() {
    const Expr path = uriCharacters("-._~!$&'()*+,;=:@/");
    const Expr behind = uriCharacters("-._~!$&'()*+,;=:@/?");
    return sequence({repeat(sequence({literal("/"), repeat(path, 0, kUnbounded)}), 0, 1),
                     maybe(sequence({literal("?"), repeat(behind, 0, kUnbounded)})),
                     maybe(sequence({literal("#"), repeat(behind, 0, kUnbounded)}))});
}

Expr uriText() {
    const Expr scheme = sequence({oneOf({{'a', 'z'}}), repeat(oneOf({{'a', 'z'}, {'0', '9'}}), 1, 11)});
    return sequence({scheme, literal("://"), hostText(),
                     maybe(sequence({literal(":"), integersFrom(1, 65535)})), uriRest()});
}

/// P1Y2M3DT4H5M6S, or weeks.
Expr durationText() {
    // Parts in their order, at least one of them.
    const auto parts = [](std::string_view units) {
        Expr out = choice({});
        for (size_t first = 0; first < units.size(); ++first) {
            Expr some = sequence({digits(1, 4), literal(units.substr(first, 1))});
            for (size_t next = first + 1; next < units.size(); ++next)
                some.parts.push_back(maybe(sequence({digits(1, 4), literal(units.substr(next, 1))})));
            out.parts.push_back(std::move(some));
        }
        return out;
    };
    const Expr date = parts("YMD"), time = sequence({literal("T"), parts("HMS")});
    return sequence({literal("P"),
                     choice({sequence({date, maybe(time)}), time, sequence({digits(1, 4), literal("W")})})});
}

Expr pointerText() {
    const Expr character = choice({uriCharacters("-._!$&'()*+,;=:@ "), literal("~0"), literal("~1")});
    return repeat(sequence({literal("/"), repeat(character, 0, kUnbounded)}), 0, kUnbounded);
}

}  // namespace

std::optional<Expr> stringOfFormat(std::string_view format) {
    struct Row {
        std::string_view name;
        Expr (*text)();
    };
    constexpr std::array<Row, 14> kRows{{{"date", dateText},
                                         {"time", timeText},
                                         {"date-time",
                                          [] {
                                              return sequence({dateText(), literal("T"), timeText()});
                                          }},
                                         {"duration", durationText},
                                         {"uuid", uuidText},
                                         {"email", emailText},
                                         {"idn-email", emailText},
                                         {"hostname", hostText},
                                         {"idn-hostname", hostText},
                                         {"ipv4", ipv4Text},
                                         {"ipv6", ipv6Text},
                                         {"uri", uriText},
                                         {"uri-reference", uriText},
                                         {"json-pointer", pointerText}}};
    for (const Row& row : kRows)
        if (row.name == format) return sequence({literal("\""), row.text(), literal("\"")});
    return std::nullopt;
}

}  // namespace ingle::grammar
