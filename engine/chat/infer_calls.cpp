#include "engine/chat/infer_calls.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/chat/call_probe.h"
#include "engine/chat/dialects/written_values.h"

namespace ingle::chat {
namespace {

using namespace probe;

/// In place of every key, and of every number that counts calls.
constexpr std::string_view kKey = "qzkey", kCount = "qzcount";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// All keys alike, and where `counts`, numbers of one digit too.
std::string normalised(std::string_view text, bool counts) {
    std::string out(text);
    for (const char* key : kKeys) out = replaced(std::move(out), key, kKey);
    const auto isWord = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    for (size_t at = 0; counts && at < out.size(); ++at) {
        const bool isAlone =
            (at == 0 || !isWord(out[at - 1])) && (at + 1 == out.size() || !isWord(out[at + 1]));
        if (!isAlone || out[at] < '0' || out[at] > '3') continue;
        out.replace(at, 1, kCount);
        at += kCount.size();
    }
    return out;
}

/// A text of a pattern; nothing: it could be taken for a slot.
std::optional<std::string> literal(std::string_view text) {
    for (size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
        if (at + 1 < text.size() && text[at + 1] >= 'a' && text[at + 1] <= 'z') return std::nullopt;
    std::string out = replaced(std::string(text), kId, "{id}");
    out = replaced(std::move(out), kCount, "{any}");
    out = replaced(std::move(out), kName, "{name}");
    return replaced(std::move(out), kKey, "{key}");
}

/// The longest end of both that begins where a mark may.
std::string_view sharedEnd(std::string_view text, std::string_view other) {
    for (size_t size = commonEnd(text, other).size(); size > 0; --size)
        if (isCut(text, text.size() - size) && isCut(other, other.size() - size))
            return text.substr(text.size() - size);
    return {};
}

/// The longest beginning of both behind which a mark may begin.
std::string_view sharedBegin(std::string_view text, std::string_view other) {
    for (size_t size = commonBegin(text, other).size(); size > 0; --size)
        if (isCut(text, size) && isCut(other, size)) return text.substr(0, size);
    return {};
}

/// One call as it is written: [begin, end) of a text, and the patterns of what is there.
struct FoundCall {
    size_t begin = 0, end = 0;
    InferredDialect::Form form;
};

/// The members of the object that hold name and arguments; nothing: none do.
std::optional<InferredDialect::Form> formOfObject(std::string_view object, std::string_view value) {
    InferredDialect::Form form{.call = "{call}"};
    bool hasName = false, hasArguments = false;
    for (const auto& member : membersOf(object).all) {
        if (textOfJson(member.value) == kName) {
            form.nameKey = member.key;
            hasName = true;
        } else if (textOfJson(member.value) == kId) {
            form.idKey = member.key;
        } else if (member.value.find(kKey) != member.value.npos &&
                   member.value.find(value) != member.value.npos) {
            form.argumentsKey = member.key;
            hasArguments = true;
            if (member.key == kName) return InferredDialect::Form{.call = "{call}"};
        }
    }
    return hasName && hasArguments ? std::optional(form) : std::nullopt;
}

class CallFinder {
  public:
    CallFinder(std::string_view text, std::string_view mixed) : m_text(text), m_mixed(mixed) {}

    /// Call number `number`, which begins behind `from`.
    std::optional<FoundCall> find(size_t from, size_t number) const {
        const auto& values = kCallValues[number];
        const size_t value = m_text.find(values[0], from);
        if (value == m_text.npos) return std::nullopt;
        const size_t key = m_text.rfind(kKey, value);
        if (key == m_text.npos || key < from) return std::nullopt;
        if (const auto whole = innerObjectWith(m_text, from, {kName, kKey, values[0], values[1]}))
            if (auto form = formOfObject(m_text.substr(whole->begin, whole->end - whole->begin), values[0])) {
                const Place around = wrapped(from, *whole);
                return FoundCall{around.begin, around.end, std::move(*form)};
            }
        const size_t nameBefore = m_text.substr(0, key).rfind(kName);
        const bool isNameFirst = nameBefore != m_text.npos && nameBefore >= from;
        const auto object = objectWith(m_text, isNameFirst ? nameEnd(nameBefore) : from, {kKey, values[0]});
        const bool isObject = object && object->begin < key;
        if (isNameFirst && isObject) return nameThenObject(nameBefore, *object);
        if (isObject) return objectThenName(*object);
        return isNameFirst ? nameThenValues(nameBefore, number) : std::nullopt;
    }

  private:
    /// What holds a call as its "function", as in requests; the call itself, where nothing does.
    Place wrapped(size_t from, const Place& call) const {
        const std::string_view object = m_text.substr(call.begin, call.end - call.begin);
        size_t tries = 0;
        for (size_t at = m_text.find('{', from); at < call.begin && ++tries <= kMostObjects;
             at = m_text.find('{', at + 1)) {
            std::string_view rest = m_text.substr(at);
            const auto outer = takeJson(rest);
            if (!outer || !isJsonObject(*outer)) continue;
            const auto members = membersOf(*outer);
            for (const auto& member : members.all)
                if (member.key == "function" && member.value == object) return {at, at + outer->size()};
        }
        return call;
    }

    static size_t nameEnd(size_t name) { return name + std::string_view(kName).size(); }
    static size_t endOf(size_t at, std::string_view text) { return at + text.size(); }

    std::optional<FoundCall> nameThenObject(size_t name, Place object) const {
        const auto between = literal(m_text.substr(nameEnd(name), object.begin - nameEnd(name)));
        if (!between) return std::nullopt;
        return FoundCall{name, object.end, {.call = "{name}" + *between + "{arguments}"}};
    }

    std::optional<FoundCall> objectThenName(Place object) const {
        const size_t name = m_text.find(kName, object.end);
        if (name == m_text.npos) return std::nullopt;
        const auto between = literal(m_text.substr(object.end, name - object.end));
        if (!between || between->find("{key}") != between->npos) return std::nullopt;
        return FoundCall{object.begin, nameEnd(name), {.call = "{arguments}" + *between + "{name}"}};
    }

    /// Key, value, key, value.
    std::optional<FoundCall> nameThenValues(size_t name, size_t number) const {
        const auto& values = kCallValues[number];
        const size_t value1 = m_text.find(values[0], name), value2 = m_text.find(values[1], value1);
        if (value2 == m_text.npos) return std::nullopt;
        const size_t key1 = m_text.rfind(kKey, value1), key2 = m_text.rfind(kKey, value2);
        if (key1 < name || key2 < value1) return std::nullopt;
        const size_t end1 = endOf(value1, values[0]), end2 = endOf(value2, values[1]);
        std::string_view header = m_text.substr(nameEnd(name), key1 - nameEnd(name));
        std::string_view between = m_text.substr(end1, key2 - end1), behind = m_text.substr(end2);
        const auto gap = gapPattern(m_text.substr(endOf(key1, kKey), value1 - endOf(key1, kKey)), behind);
        if (!gap) return std::nullopt;
        if (gap->isQuoted) {
            between.remove_prefix(1);
            behind.remove_prefix(1);
        }
        std::string_view open = sharedEnd(header, between), close;
        // Each value ends its line.
        const bool areLines = between.starts_with('\n') && behind.starts_with('\n') &&
                              (stripped(open).empty() || open.size() == between.size());
        if (areLines) {
            close = between.substr(0, 1);
            open = stripped(open).empty() ? std::string_view() : open.substr(1);
            between.remove_suffix(open.size());
        } else {
            between.remove_suffix(open.size());
            close = sharedBegin(between, behind);
        }
        between.remove_prefix(close.size());
        header.remove_suffix(open.size());
        // Parameters are read behind any white space.
        const auto head = literal(header), end = literal(close),
                   begin = literal(stripped(open).empty() ? std::string_view() : open);
        if (!head || !begin || !end || between.find(kKey) != between.npos) return std::nullopt;
        // Where one value begins and another ends must be told by something.
        if (!gap->isQuoted && stripped(open).empty() && close.empty() && stripped(between).empty())
            return std::nullopt;
        return FoundCall{name,
                         m_text.size() - behind.size() + close.size(),
                         {.call = "{name}" + *head + "{parameters}",
                          .parameter = *begin + "{key}" + gap->pattern + *end,
                          .separator = std::string(stripped(between))}};
    }

    struct Gap {
        std::string pattern;  ///< with the slot of the value
        bool isQuoted = false;
    };
    /// Between a key and a text, of which `behind` comes behind it.
    std::optional<Gap> gapPattern(std::string_view gap, std::string_view behind) const {
        const std::string number = std::to_string(kMixedNumber);
        const size_t at = m_mixed.find(number), key = m_mixed.substr(0, at).rfind(kKey);
        const auto asText = literal(gap);
        if (!asText) return std::nullopt;
        if (at == m_mixed.npos || key == m_mixed.npos) return Gap{*asText + "{value}"};
        const std::string_view other = m_mixed.substr(key + kKey.size(), at - key - kKey.size());
        if (other == gap) return Gap{*asText + "{value}"};
        const bool isQuoted = gap.size() == other.size() + 1 && gap.starts_with(other) &&
                              (gap.ends_with('"') || gap.ends_with('\'')) && behind.starts_with(gap.back());
        if (isQuoted) {
            const auto pattern = literal(other);
            return pattern ? std::optional(Gap{*pattern + "{literal}", true}) : std::nullopt;
        }
        // The gap tells of which type the value is.
        const std::string_view before = commonBegin(gap, other);
        const std::string_view after = commonEnd(gap.substr(before.size()), other.substr(before.size()));
        const std::string_view type = gap.substr(before.size(), gap.size() - before.size() - after.size());
        const auto first = literal(before), last = literal(after);
        if ((type != "string" && type != "true") || !first || !last || last->empty()) return std::nullopt;
        return Gap{*first + "{type}" + *last + "{value}"};
    }

    const std::string_view m_text, m_mixed;
};

/// What is around calls: the marks of all of them, and of each.
std::optional<InferredDialect::Form> withMarks(InferredDialect::Form form, std::string_view before,
                                               std::string_view behind, const std::string_view* between) {
    std::string_view head, tail, rest;
    if (between) {
        head = sharedEnd(before, *between);
        rest = between->substr(0, between->size() - head.size());
        tail = sharedBegin(rest, behind);
        rest.remove_prefix(tail.size());
    }
    before.remove_suffix(head.size());
    behind.remove_prefix(tail.size());
    if (form.call == "{call}" && stripped(before).ends_with('[') && stripped(behind).starts_with(']')) {
        before = before.substr(0, before.rfind('['));  // a list, which {call} reads
        behind = behind.substr(behind.find(']') + 1);
        rest = {};
    }
    const auto headText = literal(head), tailText = literal(tail);
    if (!headText || !tailText || behind.find(kName) != behind.npos || before.find(kName) != before.npos)
        return std::nullopt;
    form.between = stripped(rest) == "," ? "" : stripped(rest);
    form.end = stripped(behind);
    if (!stripped(before).empty()) {
        form.begin = stripped(before);
        form.call = *headText + form.call + *tailText;
    } else {
        // Each call has the marks.
        const size_t slot = std::min(headText->find('{'), headText->size());
        form.begin = stripped(headText->substr(0, slot));
        form.call = headText->substr(slot) + form.call;
        const bool isEnd = form.end.empty() && tailText->find('{') == tailText->npos;
        isEnd ? form.end = stripped(*tailText) : form.call += *tailText;
    }
    const bool hasSlot = form.begin.find(kId) != form.begin.npos || form.end.find(kId) != form.end.npos ||
                         form.begin.find(kCount) != form.begin.npos || form.end.find(kCount) != form.end.npos;
    const bool isWeak = form.begin.empty() ? form.call != "{call}" : form.begin.size() < 2;
    if (hasSlot || isWeak) return std::nullopt;
    return form;
}

}  // namespace

std::optional<InferredDialect::Form> inferCallForm(const WrittenCalls& written, bool counts) {
    const std::string one = normalised(written.one, counts), two = normalised(written.two, counts),
                      mixed = normalised(written.mixed, counts);
    const CallFinder finder(one, mixed);
    const auto alone = finder.find(0, 0);
    if (!alone) return std::nullopt;
    const std::string_view before = std::string_view(one).substr(0, alone->begin);
    const std::string_view behind = std::string_view(one).substr(alone->end);
    const CallFinder inTwo(two, mixed);
    const auto first = two.empty() ? std::nullopt : inTwo.find(0, 0);
    const auto second = first ? inTwo.find(first->end, 1) : std::nullopt;
    if (!second) return withMarks(alone->form, before, behind, nullptr);
    const std::string_view between = std::string_view(two).substr(first->end, second->begin - first->end);
    return withMarks(alone->form, before, behind, &between);
}

}  // namespace ingle::chat
