#include "engine/grammar/grammar.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ingle/utf8.h"

namespace ingle::grammar {
namespace {

constexpr char32_t kLastCode = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

/// Sorted, disjoint, and without surrogates, which UTF-8 does not have.
std::vector<CodeRange> normalised(std::vector<CodeRange> ranges) {
    std::vector<CodeRange> split;
    for (const CodeRange& range : ranges) {
        const CodeRange before{range.first, std::min(range.last, char32_t{kFirstSurrogate - 1})};
        const CodeRange after{std::max(range.first, char32_t{kLastSurrogate + 1}),
                              std::min(range.last, kLastCode)};
        for (const CodeRange& part : {before, after})
            if (part.first <= part.last) split.push_back(part);
    }
    std::ranges::sort(split, {}, &CodeRange::first);
    std::vector<CodeRange> merged;
    for (const CodeRange& range : split) {
        if (!merged.empty() && range.first <= merged.back().last + 1)
            merged.back().last = std::max(merged.back().last, range.last);
        else
            merged.push_back(range);
    }
    return merged;
}

/// Lists of numbers, one behind the other. `fill` names all, as add(list, number), each time it is called.
class Lists {
  public:
    template <typename Fill>
    Lists(size_t count, Fill fill) : m_begins(count + 1) {
        fill([&](uint32_t list, uint32_t) { ++m_begins[list + 1]; });
        for (size_t list = 0; list < count; ++list) m_begins[list + 1] += m_begins[list];
        m_numbers.resize(m_begins.back());
        std::vector<uint32_t> next(m_begins.begin(), m_begins.end() - 1);
        fill([&](uint32_t list, uint32_t number) { m_numbers[next[list]++] = number; });
    }
    std::span<const uint32_t> of(uint32_t list) const {
        return std::span(m_numbers).subspan(m_begins[list], m_begins[list + 1] - m_begins[list]);
    }

  private:
    std::vector<uint32_t> m_begins;
    std::vector<uint32_t> m_numbers;
};

/// Lays nodes down from the end: each piece is given what follows it.
class Compiler {
  public:
    explicit Compiler(const Rules& rules) : m_rules(rules) {
        m_grammar.nodes = {{Node::Kind::Return}, {Node::Kind::Fail}};
        m_grammar.entries.resize(rules.all.size());
        m_grammar.root = rules.root;
    }

    Result<Grammar> compile() {
        if (m_rules.all.size() > kMostRules)
            return fail(ErrorCode::InvalidArgument, "more than {} rules", kMostRules);
        for (size_t i = 0; i < m_rules.all.size(); ++i) {
            m_grammar.entries[i] = emit(m_rules.all[i].body, Grammar::kReturn);
            if (m_full)
                return fail(ErrorCode::InvalidArgument, "the rules together are larger than {} steps",
                            kMostNodes);
        }
        INGLE_TRY(refuseLeftRecursion());
        const std::vector<bool> ends = reachesReturn(true);
        if (!ends[m_grammar.entries[m_grammar.root]])
            return fail(ErrorCode::InvalidArgument, "no text follows these rules to an end");
        for (size_t i = 0; i < m_grammar.nodes.size(); ++i)
            if (!ends[i]) m_grammar.nodes[i] = {Node::Kind::Fail};
        return std::move(m_grammar);
    }

  private:
    uint32_t add(Node node) {
        if (m_grammar.nodes.size() >= kMostNodes) {
            m_full = true;
            return Grammar::kFail;
        }
        m_grammar.nodes.push_back(node);
        return static_cast<uint32_t>(m_grammar.nodes.size() - 1);
    }
    uint32_t split(uint32_t a, uint32_t b) {
        if (a == Grammar::kFail) return b;
        if (b == Grammar::kFail) return a;
        return add({.kind = Node::Kind::Split, .a = a, .b = b});
    }

    uint32_t emit(const Expr& expr, uint32_t next) {
        if (m_full) return Grammar::kFail;
        switch (expr.kind) {
            case Expr::Kind::Class: {
                uint32_t entry = Grammar::kFail;
                for (const CodeRange& range : expr.ranges) entry = split(emitRange(range, next), entry);
                return entry;
            }
            case Expr::Kind::Bytes:
                for (size_t i = expr.ranges.size(); i-- > 0;)
                    next = add({.kind = Node::Kind::Byte,
                                .low = static_cast<uint8_t>(expr.ranges[i].first),
                                .high = static_cast<uint8_t>(expr.ranges[i].last),
                                .a = next});
                return next;
            case Expr::Kind::Sequence:
                for (size_t i = expr.parts.size(); i-- > 0;) next = emit(expr.parts[i], next);
                return next;
            case Expr::Kind::Choice: {
                uint32_t entry = Grammar::kFail;
                for (size_t i = expr.parts.size(); i-- > 0;) entry = split(emit(expr.parts[i], next), entry);
                return entry;
            }
            case Expr::Kind::Repeat:
                return emitRepeat(expr, next);
            case Expr::Kind::Rule:
                return add({.kind = Node::Kind::Call, .a = expr.rule, .b = next});
        }
        return Grammar::kFail;
    }

    uint32_t emitRepeat(const Expr& expr, uint32_t next) {
        const Expr& part = expr.parts.front();
        const uint32_t copies = expr.max == kUnbounded ? expr.min + 1 : expr.max;
        if (copies == 0) return next;
        // What is copied is a rule of its own, so that a copy is one node.
        uint32_t rule = 0;
        if (copies > 1) {
            const uint32_t entry = emit(part, Grammar::kReturn);
            m_grammar.entries.push_back(entry);
            rule = static_cast<uint32_t>(m_grammar.entries.size() - 1);
        }
        const auto copy = [&](uint32_t after) {
            return copies == 1 ? emit(part, after) : add({.kind = Node::Kind::Call, .a = rule, .b = after});
        };
        uint32_t entry = next;
        if (expr.max == kUnbounded) {
            entry = add({.kind = Node::Kind::Split});
            const uint32_t again = copy(entry);
            if (m_full) return Grammar::kFail;
            m_grammar.nodes[entry].a = again;
            m_grammar.nodes[entry].b = next;
        } else {
            for (uint32_t i = expr.min; i < expr.max && !m_full; ++i) entry = split(copy(entry), next);
        }
        for (uint32_t i = 0; i < expr.min && !m_full; ++i) entry = copy(entry);
        return entry;
    }

    /// Cuts a range where the number of bytes, or what a last byte may be, changes.
    uint32_t emitRange(CodeRange range, uint32_t next) {
        const auto inTwo = [&](char32_t lastOfFirst) {
            return split(emitRange({range.first, lastOfFirst}, next),
                         emitRange({lastOfFirst + 1, range.last}, next));
        };
        for (const char32_t most : {0x7F, 0x7FF, 0xFFFF})
            if (range.first <= most && most < range.last) return inTwo(most);
        if (range.last > 0x7F) {
            for (int shift = 6; shift <= 18; shift += 6) {
                const char32_t low = (char32_t{1} << shift) - 1;
                if ((range.first & ~low) == (range.last & ~low)) continue;
                if ((range.first & low) != 0) return inTwo(range.first | low);
                if ((range.last & low) != low) return inTwo((range.last & ~low) - 1);
            }
        }
        const std::string first = encodeUtf8(range.first), last = encodeUtf8(range.last);
        for (size_t i = first.size(); i-- > 0;)
            next = add({.kind = Node::Kind::Byte,
                        .low = static_cast<uint8_t>(first[i]),
                        .high = static_cast<uint8_t>(last[i]),
                        .a = next});
        return next;
    }

    /// Which nodes lead to the end of their rule; without bytes, when `throughBytes` is false.
    std::vector<bool> reachesReturn(bool throughBytes) const {
        const std::vector<Node>& nodes = m_grammar.nodes;
        // Who looks again when a node is known.
        const Lists waiting(nodes.size(), [&](const auto& add) {
            for (uint32_t i = 0; i < nodes.size(); ++i) {
                const Node::Kind kind = nodes[i].kind;
                if ((kind == Node::Kind::Byte && throughBytes) || kind == Node::Kind::Split)
                    add(nodes[i].a, i);
                if (kind == Node::Kind::Split || kind == Node::Kind::Call) add(nodes[i].b, i);
            }
        });
        const Lists callers(m_grammar.entries.size(), [&](const auto& add) {
            for (uint32_t i = 0; i < nodes.size(); ++i)
                if (nodes[i].kind == Node::Kind::Call) add(nodes[i].a, i);
        });
        const Lists rulesAt(nodes.size(), [&](const auto& add) {
            for (uint32_t rule = 0; rule < m_grammar.entries.size(); ++rule)
                add(m_grammar.entries[rule], rule);
        });
        std::vector<bool> reaches(nodes.size());
        std::vector<uint32_t> known{Grammar::kReturn};
        reaches[Grammar::kReturn] = true;
        const auto look = [&](uint32_t i) {
            const Node& node = nodes[i];
            const bool does =
                node.kind != Node::Kind::Call || (reaches[m_grammar.entries[node.a]] && reaches[node.b]);
            if (does && !reaches[i]) {
                reaches[i] = true;
                known.push_back(i);
            }
        };
        while (!known.empty()) {
            const uint32_t node = known.back();
            known.pop_back();
            for (const uint32_t i : waiting.of(node)) look(i);
            for (const uint32_t rule : rulesAt.of(node))
                for (const uint32_t i : callers.of(rule)) look(i);
        }
        return reaches;
    }

    /// The rules that `rule` may begin with.
    std::vector<uint32_t> beginnings(uint32_t rule, const std::vector<bool>& empty,
                                     std::vector<uint32_t>& seenBy) const {
        std::vector<uint32_t> found, open{m_grammar.entries[rule]};
        while (!open.empty()) {
            const uint32_t i = open.back();
            open.pop_back();
            if (seenBy[i] == rule + 1) continue;
            seenBy[i] = rule + 1;
            const Node& node = m_grammar.nodes[i];
            if (node.kind == Node::Kind::Split) open.insert(open.end(), {node.a, node.b});
            if (node.kind != Node::Kind::Call) continue;
            found.push_back(node.a);
            if (empty[m_grammar.entries[node.a]]) open.push_back(node.b);
        }
        return found;
    }

    Status refuseLeftRecursion() const {
        const std::vector<bool> empty = reachesReturn(false);
        std::vector<uint32_t> seenBy(m_grammar.nodes.size());
        enum class Mark : uint8_t { New, Open, Done };
        std::vector<Mark> marks(m_grammar.entries.size());
        struct Visit {
            uint32_t rule;
            std::vector<uint32_t> left;
        };
        for (uint32_t start = 0; start < marks.size(); ++start) {
            if (marks[start] != Mark::New) continue;
            std::vector<Visit> path;
            const auto enter = [&](uint32_t rule) {
                marks[rule] = Mark::Open;
                path.push_back({rule, beginnings(rule, empty, seenBy)});
            };
            enter(start);
            while (!path.empty()) {
                Visit& visit = path.back();
                if (visit.left.empty()) {
                    marks[visit.rule] = Mark::Done;
                    path.pop_back();
                    continue;
                }
                const uint32_t next = visit.left.back();
                visit.left.pop_back();
                if (marks[next] == Mark::Open) return leftRecursive(next < m_rules.all.size() ? next : start);
                if (marks[next] == Mark::New) enter(next);
            }
        }
        return {};
    }
    Status leftRecursive(uint32_t rule) const {
        return fail(ErrorCode::InvalidArgument, "the rule {} may begin with itself, so it would never end",
                    shown(m_rules.all[rule < m_rules.all.size() ? rule : m_rules.root].name));
    }

    const Rules& m_rules;
    Grammar m_grammar;
    bool m_full = false;
};

}  // namespace

Expr oneOf(std::vector<CodeRange> ranges) {
    return {.kind = Expr::Kind::Class, .ranges = normalised(std::move(ranges))};
}

Expr noneOf(std::vector<CodeRange> ranges) {
    std::vector<CodeRange> others;
    char32_t next = 0;
    for (const CodeRange& range : normalised(std::move(ranges))) {
        if (range.first > next) others.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= kLastCode) others.push_back({next, kLastCode});
    return oneOf(std::move(others));
}

Expr literal(std::string_view text) {
    Expr out;
    while (!text.empty()) {
        const char32_t code = codePointOf(text);
        out.parts.push_back(oneOf({{code, code}}));
        text.remove_prefix(firstCharacter(text).bytes);
    }
    return out;
}

Expr bytes(std::vector<CodeRange> ranges) {
    return {.kind = Expr::Kind::Bytes, .ranges = std::move(ranges)};
}

namespace {

constexpr uint32_t kTokenSign = 0xFE;

/// Cuts a range where more than the last bytes of an id differ.
void addTokens(uint32_t first, uint32_t last, std::vector<Expr>& out) {
    for (int shift = 8; shift <= 24; shift += 8) {
        const uint32_t low = (uint32_t{1} << shift) - 1;
        if ((first & ~low) == (last & ~low)) continue;
        if ((first & low) != 0) {
            addTokens(first, first | low, out);
            return addTokens((first | low) + 1, last, out);
        }
        if ((last & low) != low) {
            addTokens(first, (last & ~low) - 1, out);
            return addTokens(last & ~low, last, out);
        }
    }
    std::vector<CodeRange> ranges{{kTokenSign, kTokenSign}};
    for (int shift = 24; shift >= 0; shift -= 8)
        ranges.push_back({first >> shift & 0xFF, last >> shift & 0xFF});
    out.push_back(bytes(std::move(ranges)));
}

}  // namespace

Expr token(std::vector<CodeRange> ids) {
    Expr out = choice({});
    for (const CodeRange& range : ids) addTokens(range.first, range.last, out.parts);
    return out;
}

std::string tokenCode(uint32_t id) {
    std::string code(1, static_cast<char>(kTokenSign));
    for (int shift = 24; shift >= 0; shift -= 8) code += static_cast<char>(id >> shift & 0xFF);
    return code;
}

Expr sequence(std::vector<Expr> parts) {
    return {.kind = Expr::Kind::Sequence, .parts = std::move(parts)};
}

Expr choice(std::vector<Expr> parts) {
    return {.kind = Expr::Kind::Choice, .parts = std::move(parts)};
}

Expr repeat(Expr part, uint32_t min, uint32_t max) {
    Expr out{.kind = Expr::Kind::Repeat, .min = min, .max = max};
    out.parts.push_back(std::move(part));
    return out;
}

Expr ruleRef(uint32_t rule) {
    return {.kind = Expr::Kind::Rule, .rule = rule};
}

Result<Grammar> compile(const Rules& rules) {
    return Compiler(rules).compile();
}

}  // namespace ingle::grammar
