#include "engine/chat/dialects/call_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/chat/dialects/nested_values.h"
#include "engine/chat/dialects/written_values.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;
using Outcome = ReadCalls::Outcome;

/// Of an id, or what else stands in a call beside name and arguments.
constexpr size_t kMostBeside = 256;

bool isBlank(char c) {
    return kBlanks.find(c) != kBlanks.npos;
}

/// Takes a pattern's first step off: a slot "{…}", a blank, or a text.
std::string_view takeStep(std::string_view& pattern) {
    const bool isSlot =
        pattern.size() > 1 && pattern.front() == '{' && pattern[1] >= 'a' && pattern[1] <= 'z';
    size_t size = 1;
    if (isSlot) {
        size = pattern.find('}') + 1;
    } else if (!isBlank(pattern.front())) {
        size = std::min(pattern.find_first_of("{ \n", 1), pattern.size());
    }
    const std::string_view step = pattern.substr(0, size);
    pattern.remove_prefix(size);
    return step;
}

/// The text that comes next in a pattern, behind blanks; empty: a slot does.
std::string_view nextText(std::string_view pattern) {
    skipBlanks(pattern);
    if (pattern.empty()) return {};
    const std::string_view step = takeStep(pattern);
    return step.front() == '{' ? std::string_view() : step;
}

/// Reads one call after the other.
class Matcher {
  public:
    Matcher(const CallForm& form, std::string_view text, const CallReading& reading, bool isEnd)
        : m_form(form),
          m_reading(reading),
          m_text(text),
          m_rest(form.isPart ? text : text.substr(form.begin.size())),
          m_isEnd(isEnd) {}

    ReadCalls run() {
        for (;;) {
            skipBetween();
            if (!m_calls.empty() && isOver()) return finished(m_taken);
            const bool isMarkBegun = !m_calls.empty() && !m_rest.empty() &&
                                     (m_form.end.starts_with(m_rest) || m_form.begin.starts_with(m_rest) ||
                                      m_form.between.starts_with(m_rest));
            if (isMarkBegun) return undecided();
            const size_t numBefore = m_calls.size(), takenBefore = m_taken;
            const Outcome outcome = call();
            if (outcome == Outcome::Undecided) return undecided();
            if (outcome == Outcome::Calls) {
                m_taken = taken();
                continue;
            }
            // Something else follows calls that have no end.
            const size_t looked = taken();
            m_calls.resize(numBefore);
            if (numBefore > 0 && m_form.end.empty()) return finished(takenBefore);
            return {Outcome::Text, {}, looked};
        }
    }

  private:
    size_t taken() const { return m_text.size() - m_rest.size(); }

    /// What may stand between calls, and the first mark again.
    void skipBetween() {
        const std::string_view before = m_rest;
        while (!m_rest.empty() && (isBlank(m_rest.front()) || (!m_calls.empty() && m_rest.front() == ','))) {
            m_rest.remove_prefix(1);
        }
        if (!m_calls.empty() && !m_form.between.empty() && m_rest.starts_with(m_form.between)) {
            m_rest.remove_prefix(m_form.between.size());
            skipBlanks(m_rest);
        }
        const bool isAgain = !m_calls.empty() && !m_form.begin.empty() && m_rest.starts_with(m_form.begin);
        if (isAgain)
            m_rest.remove_prefix(m_form.begin.size());
        else if (!m_calls.empty() && m_form.end.empty() && m_rest.empty())
            m_rest = before;  // blanks at the end are no part of calls
    }

    bool isOver() {
        if (m_form.end.empty()) {
            std::string_view rest = m_rest;
            skipBlanks(rest);
            return rest.empty() && m_isEnd;
        }
        if (m_rest.empty()) return m_isEnd;
        if (!m_rest.starts_with(m_form.end)) return false;
        m_rest.remove_prefix(m_form.end.size());
        m_taken = taken();
        return true;
    }

    ReadCalls finished(size_t size) { return {Outcome::Calls, std::move(m_calls), size}; }

    /// More may come. If not, the calls that are whole count, and of one that is cut off what is known of it.
    ReadCalls undecided() {
        if (!m_isEnd) return {Outcome::Undecided, {}, 0};
        if (!m_current.name.empty()) {
            m_current.arguments = withoutSigns(m_argumentsFrom);
            m_current.isWhole = false;
            m_calls.push_back(std::move(m_current));
            return finished(m_text.size());
        }
        return m_calls.empty() ? ReadCalls{Outcome::Text, {}, m_text.size()} : finished(m_taken);
    }

    Outcome call() {
        m_current = {};
        m_members.clear();
        std::string_view pattern = m_form.call;
        while (!pattern.empty()) {
            const std::string_view step = takeStep(pattern);
            const Outcome outcome = take(step, pattern);
            if (outcome != Outcome::Calls) return outcome;
        }
        if (!m_current.name.empty()) addCurrent();
        return Outcome::Calls;
    }

    /// The current call is whole.
    void addCurrent() {
        if (m_current.arguments.empty()) m_current.arguments = '{' + m_members + '}';
        m_calls.push_back(std::move(m_current));
        m_current = {};
        m_members.clear();
    }

    void addMember(std::string_view key, const std::string& value) {
        if (!m_members.empty()) m_members += ',';
        ((m_members += jsonString(key)) += ':') += value;
    }

    Outcome take(std::string_view step, std::string_view rest) {
        if (isBlank(step.front())) {
            skipBlanks(m_rest);
            return Outcome::Calls;
        }
        if (step == "{name}") return m_current.name.empty() ? takeName() : takeText(m_current.name);
        if (step == "{numbered}") return takeNumbered(rest);
        if (step == "{id}" || step == "{any}") {
            std::string_view found;
            const Outcome outcome = takeUpTo(nextText(rest), found);
            if (step == "{id}") m_current.id = withoutSigns(stripped(found));
            return outcome;
        }
        if (step == "{arguments}") return takeArguments();
        if (step == "{call}") return takeCalls();
        if (step == "{python}") return takePythonCalls();
        if (step == "{braces}") return takeBracesArguments();
        if (step == "{parameters}") return takeParameters(rest);
        return takeText(step);
    }

    Outcome takeText(std::string_view text) {
        std::string_view at = m_rest;
        if (!at.starts_with(text)) skipBlanks(at);
        if (at.starts_with(text)) {
            m_rest = at.substr(text.size());
            return Outcome::Calls;
        }
        return text.starts_with(at) ? Outcome::Undecided : Outcome::Text;
    }

    Outcome takeName() {
        skipBlanks(m_rest);
        if (m_rest.starts_with('"')) m_rest.remove_prefix(1);
        bool isOpen = false;
        const std::string_view name = m_reading.nameAt(m_rest, isOpen);
        if (isOpen) return Outcome::Undecided;
        if (name.empty()) return Outcome::Text;
        m_current.name = name;
        m_rest.remove_prefix(name.size());
        if (m_rest.starts_with('"') && m_form.call.find("{name}\"") == m_form.call.npos)
            m_rest.remove_prefix(1);
        m_argumentsFrom = m_rest;
        return Outcome::Calls;
    }

    Outcome takeNumbered(std::string_view pattern) {
        std::string_view id;
        const Outcome outcome = takeUpTo(nextText(pattern), id);
        if (outcome != Outcome::Calls) return outcome;
        id = stripped(id);
        std::string_view name = id.substr(0, id.rfind(':'));
        constexpr std::string_view kSpace = "functions.";
        if (name.starts_with(kSpace)) name.remove_prefix(kSpace.size());
        if (!m_reading.isTool(name)) return Outcome::Text;
        m_current.name = name;
        m_current.id = id;
        m_argumentsFrom = m_rest;
        return Outcome::Calls;
    }

    /// Up to the text, which stays.
    Outcome takeUpTo(std::string_view text, std::string_view& found) {
        const size_t most = kMostBeside + text.size();
        const size_t at = m_rest.substr(0, most).find(text);
        if (at == m_rest.npos) return m_rest.size() < most ? Outcome::Undecided : Outcome::Text;
        found = m_rest.substr(0, at);
        m_rest.remove_prefix(at);
        return Outcome::Calls;
    }

    /// Of what could not be taken: it is not whole, or no value.
    Outcome failed(std::string_view before) {
        const bool isShort = m_rest.empty();
        m_rest = before;
        return isShort ? Outcome::Undecided : Outcome::Text;
    }

    Outcome takeArguments() {
        skipBlanks(m_rest);
        m_argumentsFrom = m_rest;
        const auto text = takeJson(m_rest);
        if (!text) return failed(m_argumentsFrom);
        if (!isJsonObject(*text)) return Outcome::Text;
        m_current.arguments = compactJson(*text);
        return Outcome::Calls;
    }

    using Member = JsonMembers::Member;

    /// By the form's own key, or else by those that are in use.
    static const Member* memberOf(const JsonMembers& members, std::string_view own,
                                  std::span<const std::string_view> inUse) {
        const Member* found = own.empty() ? nullptr : members.find({&own, 1});
        return found ? found : members.find(inUse);
    }
    const Member* nameMember(const JsonMembers& members) const {
        constexpr std::string_view kKeys[] = {"name", "tool_name", "function"};
        return memberOf(members, m_form.nameKey, kKeys);
    }
    /// Null: it has none.
    const Member* argumentsMember(const JsonMembers& members) const {
        constexpr std::string_view kKeys[] = {"parameters", "arguments"};
        return nameMember(members) ? memberOf(members, m_form.argumentsKey, kKeys) : &members.all.front();
    }
    const Member* idMember(const JsonMembers& members) const {
        constexpr std::string_view kKeys[] = {"id", "tool_call_id"};
        return memberOf(members, m_form.idKey, kKeys);
    }

    /// What names the call in {"name": …}, or in {NAME: {…}}; empty: nothing does.
    std::string nameIn(const JsonMembers& members) const {
        const Member* given = nameMember(members);
        if (given) return textOfJson(given->value).value_or("");
        const bool isKeyed = members.all.size() == 1 && members.all.front().value.starts_with('{');
        return isKeyed ? members.all.front().key : "";
    }

    /// The members of "function", where that is an object: so requests write calls.
    static std::optional<JsonMembers> functionIn(const JsonMembers& members) {
        constexpr std::string_view kKey[] = {"function"};
        const Member* function = members.find(kKey);
        return function && function->value.starts_with('{') ? std::optional(membersOf(function->value))
                                                            : std::nullopt;
    }

    /// {"name": …, "arguments": …}, or with the words of other families.
    bool addCall(std::string_view object) {
        const JsonMembers outer = membersOf(object);
        const JsonMembers members = functionIn(outer).value_or(outer);
        if (areNamedByKeys(members)) {
            for (const Member& member : members.all)
                m_calls.push_back({.name = member.key, .id = {}, .arguments = compactJson(member.value)});
            return true;
        }
        ReadCall call{.name = nameIn(members), .id = {}, .arguments = "{}"};
        if (!m_reading.isTool(call.name)) return false;
        const Member* arguments = argumentsMember(members);
        // An object that says something else is no call; nor is one without arguments in the middle of an
        // answer, which only speaks of it.
        if (!arguments && (m_form.isPart || saysMoreThanName(members))) return false;
        if (arguments && arguments->value != "null") {
            // Some write the object as a text.
            const auto text = textOfJson(arguments->value);
            call.arguments = compactJson(text && isJsonObject(*text) ? *text : arguments->value);
        }
        if (const Member* id = idMember(outer)) call.id = textOfJson(id->value).value_or("");
        m_calls.push_back(std::move(call));
        return true;
    }

    /// {NAME: {…}, NAME: {…}}.
    bool areNamedByKeys(const JsonMembers& members) const {
        return members.all.size() > 1 && !nameMember(members) &&
               std::ranges::all_of(members.all, [&](const Member& member) {
                   return m_reading.isTool(member.key) && member.value.starts_with('{');
               });
    }

    bool saysMoreThanName(const JsonMembers& members) const {
        return std::ranges::any_of(members.all, [&](const Member& member) {
            return &member != nameMember(members) && &member != idMember(members) && member.key != "type";
        });
    }

    /// An object, or a list of them.
    Outcome takeCalls() {
        skipBlanks(m_rest);
        if (!m_rest.starts_with('[')) return takeCallObject();
        m_rest.remove_prefix(1);
        for (const size_t before = m_calls.size();; m_taken = taken()) {
            m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t\r\n,"), m_rest.size()));
            if (m_rest.starts_with(']')) {
                m_rest.remove_prefix(1);
                return m_calls.size() > before ? Outcome::Calls : Outcome::Text;
            }
            if (const Outcome outcome = takeCallObject(); outcome != Outcome::Calls) return outcome;
        }
    }

    Outcome takeCallObject() {
        if (m_rest.empty()) return Outcome::Undecided;
        if (m_rest.front() != '{') return Outcome::Text;
        const std::string_view before = m_rest;
        if (const auto object = takeJson(m_rest))
            return isJsonObject(*object) && addCall(*object) ? Outcome::Calls : Outcome::Text;
        // It is cut off. What is wrong is no call.
        const JsonMembers outer = membersOf(before);
        const JsonMembers members = functionIn(outer).value_or(outer);
        const std::string name = outer.isCut ? nameIn(members) : "";
        if (!m_reading.isTool(name)) return Outcome::Undecided;
        m_current.name = name;
        const Member* arguments = argumentsMember(members);
        m_argumentsFrom = arguments ? arguments->value : std::string_view();
        return Outcome::Undecided;
    }

    Outcome takePythonCalls() {
        const std::string_view before = m_rest;
        if (m_rest.empty()) return Outcome::Undecided;
        if (m_rest.front() != '[') return Outcome::Text;
        m_rest.remove_prefix(1);
        for (;;) {
            skipBlanks(m_rest);
            if (m_rest.starts_with(',')) m_rest.remove_prefix(1);
            skipBlanks(m_rest);
            if (m_rest.starts_with(']')) break;
            if (const Outcome outcome = takeName(); outcome != Outcome::Calls) return outcome;
            if (m_rest.empty()) return Outcome::Undecided;
            if (m_rest.front() != '(') return Outcome::Text;
            m_rest.remove_prefix(1);
            for (skipBlanks(m_rest); !m_rest.starts_with(')'); skipBlanks(m_rest)) {
                if (m_rest.starts_with(',')) m_rest.remove_prefix(1);
                skipBlanks(m_rest);
                std::string_view written;
                if (const Outcome outcome = takeUpTo("=", written); outcome != Outcome::Calls) return outcome;
                std::string key(written);
                while (!key.empty() && isBlank(key.back())) key.pop_back();
                const bool isName = std::ranges::all_of(key, [](char c) {
                    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_';
                });
                if (!isName || key.empty()) return Outcome::Text;
                m_rest.remove_prefix(1);
                const auto value = takePython(m_rest);
                if (!value) return failed(before);
                addMember(key, *value);
            }
            m_rest.remove_prefix(1);
            addCurrent();
            m_taken = taken();
        }
        m_rest.remove_prefix(1);
        return m_calls.empty() ? Outcome::Text : Outcome::Calls;
    }

    Outcome takeBracesArguments() {
        const std::string_view before = m_rest;
        m_argumentsFrom = m_rest;
        if (!m_rest.empty() && m_rest.front() != '{') return Outcome::Text;
        auto arguments = takeBraces(m_rest, m_reading.spelled(kBracesQuote));
        if (!arguments) return failed(before);
        m_current.arguments = *arguments;
        return Outcome::Calls;
    }

    /// What comes behind the slot that `pattern` follows.
    std::string_view textBehind(std::string_view pattern) const {
        const std::string_view text = nextText(pattern);
        return text.empty() ? m_form.end : text;
    }

    Outcome takeParameters(std::string_view behind) {
        m_argumentsFrom = m_rest;
        const std::string_view begin = nextText(m_form.parameter), after = textBehind(behind);
        for (bool isFirst = true;; isFirst = false) {
            skipBlanks(m_rest);
            if (!isFirst && !m_form.separator.empty() && m_rest.starts_with(m_form.separator)) {
                m_rest.remove_prefix(m_form.separator.size());
                skipBlanks(m_rest);
            }
            const bool isOpen = m_rest.empty() || (!isFirst && m_form.separator.size() > m_rest.size() &&
                                                   m_form.separator.starts_with(m_rest));
            if (isOpen) return Outcome::Undecided;
            if (begin.empty() || (after.size() > begin.size() && after.starts_with(begin))) {
                if (m_rest.starts_with(after)) return Outcome::Calls;
                if (after.starts_with(m_rest)) return Outcome::Undecided;
            }
            if (!m_rest.starts_with(begin))
                return begin.starts_with(m_rest) ? Outcome::Undecided : Outcome::Calls;
            if (const Outcome outcome = takeParameter(begin, after); outcome != Outcome::Calls)
                return outcome;
        }
    }

    Outcome takeParameter(std::string_view begin, std::string_view after) {
        std::string_view pattern = m_form.parameter;
        std::string_view key, type;
        bool hasLines = false;  // the form writes values on lines of their own
        while (!pattern.empty()) {
            const std::string_view step = takeStep(pattern);
            if (step == "{value}" || step == "{xml}" || step == "{nested}") {
                std::string_view value;
                const Outcome outcome = takeValue(endOfValue(pattern, key), begin, after, value);
                if (outcome != Outcome::Calls) return outcome;
                if (hasLines && value.starts_with('\n')) value.remove_prefix(1);
                if (hasLines && value.ends_with('\n')) value.remove_suffix(1);
                addValue(step, key, type, value);
                return Outcome::Calls;  // its end was taken with it
            }
            Outcome outcome = Outcome::Calls;
            if (step == "{key}" && !key.empty()) {
                outcome = takeText(key);
            } else if (step == "{key}" || step == "{type}") {
                std::string_view& found = step == "{key}" ? key : type;
                outcome = takeUpTo(nextText(pattern), found);
                found = stripped(found);
                if (step == "{key}" && found.find_first_of("\n<>") != found.npos) return Outcome::Text;
            } else if (step == "{literal}") {
                const std::string_view before = m_rest;
                const auto value = takePython(m_rest);
                if (!value) return failed(before);
                addMember(key, *value);
            } else if (step == "\n" && pattern.starts_with("{value}")) {
                hasLines = true;
            } else if (isBlank(step.front()) && pattern.starts_with("{value}")) {
                if (m_rest.starts_with(step)) m_rest.remove_prefix(1);
            } else if (isBlank(step.front())) {
                skipBlanks(m_rest);
            } else {
                outcome = takeText(step);
            }
            if (outcome != Outcome::Calls) return outcome;
        }
        return Outcome::Calls;
    }

    void addValue(std::string_view slot, std::string_view key, std::string_view type,
                  std::string_view value) {
        constexpr std::string_view kVerbatim = "<![CDATA[", kVerbatimEnd = "]]>";
        if (slot == "{xml}" && value.starts_with(kVerbatim) && value.ends_with(kVerbatimEnd))
            value = value.substr(kVerbatim.size(), value.size() - kVerbatim.size() - kVerbatimEnd.size());
        const json* schema = m_reading.schemaOf(m_current.name, key);
        if (type == "string" || type == "true")
            addMember(key, jsonString(value));
        else if (slot == "{nested}")
            addMember(key, nestedValue(value, m_form.parameter, schema));
        else
            addMember(key, typedValue(value, schema));
    }

    /// What ends the value that `pattern` follows: blanks around it do not count, but where there is nothing
    /// else a line ends it.
    static std::string endOfValue(std::string_view pattern, std::string_view key) {
        const bool isLine =
            !pattern.empty() && stripped(pattern).empty() && pattern.find('\n') != pattern.npos;
        if (isLine) return "\n";
        skipBlanks(pattern);
        std::string end;
        while (!pattern.empty() && !isBlank(pattern.front())) {
            const std::string_view step = takeStep(pattern);
            end += step == "{key}" ? key : step;
        }
        return end;
    }

    /// A value may hold its own end: it ends where another parameter or what is behind them follows.
    Outcome takeValue(const std::string& end, std::string_view begin, std::string_view after,
                      std::string_view& value) {
        const auto next = [&](size_t from) {
            return end.empty() ? std::min(m_rest.find(begin, from), m_rest.find(after, from))
                               : m_rest.find(end, from);
        };
        for (size_t at = next(0); at < m_rest.size(); at = next(at + 1)) {
            const Follows follows = follow(m_rest.substr(at + end.size()), begin, after);
            if (follows == Follows::SomethingElse) continue;
            if (follows == Follows::Perhaps && !m_isEnd) return Outcome::Undecided;
            value = m_rest.substr(0, at);
            m_rest.remove_prefix(at + end.size());
            return Outcome::Calls;
        }
        return Outcome::Undecided;
    }

    enum class Follows { Parameter, Perhaps, SomethingElse };
    /// Whether another parameter comes behind a value, or what is behind the last one.
    Follows follow(std::string_view rest, std::string_view begin, std::string_view after) const {
        skipBlanks(rest);
        const auto begins = [&](std::string_view mark) { return !mark.empty() && rest.starts_with(mark); };
        if (begins(begin) || begins(after) || begins(m_form.separator)) return Follows::Parameter;
        const auto mayBegin = [&](std::string_view mark) {
            return mark.starts_with(rest) && mark.size() > rest.size();
        };
        if (mayBegin(begin) || mayBegin(after) || mayBegin(m_form.separator)) return Follows::Perhaps;
        if (!begin.empty()) return Follows::SomethingElse;
        // Parameters that begin with their key, a word.
        constexpr std::string_view kSlot = "{key}", kNoWord = " \t\r\n\"'<>=:";
        const size_t size = std::min(rest.find_first_of(kNoWord), rest.size());
        if (size == rest.size()) return Follows::Perhaps;
        rest.remove_prefix(size);
        const size_t key = m_form.parameter.find(kSlot);
        std::string_view behindKey = stripped(m_form.parameter.substr(key + kSlot.size()));
        behindKey = nextText(behindKey);
        skipBlanks(rest);
        if (size > 0 && begins(behindKey)) return Follows::Parameter;
        return size > 0 && mayBegin(behindKey) ? Follows::Perhaps : Follows::SomethingElse;
    }

    const CallForm& m_form;
    const CallReading& m_reading;
    const std::string_view m_text;
    std::string_view m_rest;
    const bool m_isEnd;
    std::vector<ReadCall> m_calls;     ///< that are whole
    size_t m_taken = 0;                ///< of the text, by them
    ReadCall m_current;                ///< has a name once that was read
    std::string m_members;             ///< of its arguments, where they are read one by one
    std::string_view m_argumentsFrom;  ///< what was written of its arguments
};

}  // namespace

std::string ReadCall::json() const {
    return fmt::format(R"({{"name":{},"arguments":{}}})", jsonString(name),
                       isWhole ? arguments : jsonString(arguments));
}

ReadCalls readCalls(const CallForm& form, std::string_view text, const CallReading& reading, bool isEnd) {
    return Matcher(form, text, reading, isEnd).run();
}

}  // namespace ingle::chat
