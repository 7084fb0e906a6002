#include "engine/chat/dialects/call_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
                                     (m_form.end.starts_with(m_rest) || m_form.begin.starts_with(m_rest));
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
            m_current.arguments = m_argumentsFrom;
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
        if (step == "{name}") return takeName();
        if (step == "{numbered}") return takeNumbered(rest);
        if (step == "{id}" || step == "{any}") {
            std::string_view found;
            const Outcome outcome = takeUpTo(nextText(rest), found);
            if (step == "{id}") m_current.id = found;
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
        while (!id.empty() && isBlank(id.front())) id.remove_prefix(1);
        while (!id.empty() && isBlank(id.back())) id.remove_suffix(1);
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
        const size_t at = m_rest.substr(0, kMostBeside + text.size()).find(text);
        if (at == m_rest.npos) return m_rest.size() <= kMostBeside ? Outcome::Undecided : Outcome::Text;
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

    static constexpr std::string_view kNameKeys[] = {"name", "tool_name", "function"};
    static constexpr std::string_view kArgumentsKeys[] = {"parameters", "arguments"};
    static constexpr std::string_view kIdKeys[] = {"id", "tool_call_id"};

    /// What names the call in {"name": …}, or in {NAME: {…}}; empty: nothing does.
    std::string nameIn(const JsonMembers& members) const {
        const auto* given = members.find(kNameKeys);
        if (given) return textOfJson(given->value).value_or("");
        const bool isKeyed = members.all.size() == 1 && members.all.front().value.starts_with('{');
        return isKeyed ? members.all.front().key : "";
    }

    /// {"name": …, "arguments": …}, or with the words of other families.
    bool addCall(std::string_view object) {
        const JsonMembers members = membersOf(object);
        ReadCall call{.name = nameIn(members), .id = {}, .arguments = "{}"};
        if (!m_reading.isTool(call.name)) return false;
        const auto* arguments = members.find(kArgumentsKeys);
        if (!members.find(kNameKeys)) arguments = &members.all.front();
        // An object that says something else is no call; nor is one without arguments in the middle of an
        // answer, which only speaks of it.
        if (!arguments && (m_form.isPart || saysMoreThanName(members))) return false;
        if (arguments && arguments->value != "null") {
            // Some write the object as a text.
            const auto text = textOfJson(arguments->value);
            call.arguments = compactJson(text && isJsonObject(*text) ? *text : arguments->value);
        }
        if (const auto* id = members.find(kIdKeys)) call.id = textOfJson(id->value).value_or("");
        m_calls.push_back(std::move(call));
        return true;
    }

    static bool saysMoreThanName(const JsonMembers& members) {
        return std::ranges::any_of(members.all, [](const JsonMembers::Member& member) {
            const auto isOneOf = [&member](std::span<const std::string_view> keys) {
                return std::ranges::find(keys, member.key) != keys.end();
            };
            return !isOneOf(kNameKeys) && !isOneOf(kIdKeys) && member.key != "type";
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
        const JsonMembers members = membersOf(before);
        const std::string name = members.isCut ? nameIn(members) : "";
        if (!m_reading.isTool(name)) return Outcome::Undecided;
        m_current.name = name;
        const auto* arguments = members.find(kNameKeys) ? members.find(kArgumentsKeys) : &members.all.front();
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
        auto arguments = takeBraces(m_rest);
        if (!arguments) return failed(before);
        m_current.arguments = *arguments;
        return Outcome::Calls;
    }

    Outcome takeParameters(std::string_view behind) {
        m_argumentsFrom = m_rest;
        std::string_view first = m_form.parameter;
        skipBlanks(first);  // those of the text are skipped as well
        const std::string_view begin = takeStep(first);
        for (;;) {
            skipBlanks(m_rest);
            if (m_rest.empty()) return Outcome::Undecided;
            if (!m_rest.starts_with(begin))
                return begin.starts_with(m_rest) ? Outcome::Undecided : Outcome::Calls;
            if (const Outcome outcome = takeParameter(begin, behind); outcome != Outcome::Calls)
                return outcome;
        }
    }

    Outcome takeParameter(std::string_view begin, std::string_view behind) {
        std::string_view pattern = m_form.parameter;
        std::string_view key, type;
        bool hasLines = false;  // the form writes values on lines of their own
        while (!pattern.empty()) {
            const std::string_view step = takeStep(pattern);
            if (step == "{value}" || step == "{xml}") {
                std::string_view value;
                const std::string_view end = nextText(pattern);
                const Outcome outcome = takeValue(end, begin, behind, value);
                if (outcome != Outcome::Calls) return outcome;
                if (hasLines && value.starts_with('\n')) value.remove_prefix(1);
                if (hasLines && value.ends_with('\n')) value.remove_suffix(1);
                constexpr std::string_view kVerbatim = "<![CDATA[", kVerbatimEnd = "]]>";
                if (step == "{xml}" && value.starts_with(kVerbatim) && value.ends_with(kVerbatimEnd))
                    value =
                        value.substr(kVerbatim.size(), value.size() - kVerbatim.size() - kVerbatimEnd.size());
                while (!key.empty() && isBlank(key.back())) key.remove_suffix(1);
                const bool isText = type == "string" || type == "true";
                addMember(key, isText ? jsonString(value)
                                      : typedValue(value, m_reading.schemaOf(m_current.name, key)));
                return Outcome::Calls;  // its end was taken with it
            }
            Outcome outcome = Outcome::Calls;
            if (step == "{key}" || step == "{type}")
                outcome = takeUpTo(nextText(pattern), step == "{key}" ? key : type);
            else if (isBlank(step.front()) && pattern.starts_with("{value}"))
                hasLines = true;
            else if (isBlank(step.front()))
                skipBlanks(m_rest);
            else
                outcome = takeText(step);
            if (outcome != Outcome::Calls) return outcome;
        }
        return Outcome::Text;
    }

    /// A value may hold its own end: it ends where another parameter or what is behind them follows.
    Outcome takeValue(std::string_view end, std::string_view begin, std::string_view behind,
                      std::string_view& value) {
        std::string_view after = nextText(behind);
        if (after.empty()) after = m_form.end;
        for (size_t at = m_rest.find(end); at != m_rest.npos; at = m_rest.find(end, at + 1)) {
            std::string_view rest = m_rest.substr(at + end.size());
            skipBlanks(rest);
            const bool goesOn = rest.starts_with(begin) || rest.starts_with(after);
            if (!goesOn && !(begin.starts_with(rest) || after.starts_with(rest))) continue;
            if (!goesOn && !m_isEnd) return Outcome::Undecided;
            value = m_rest.substr(0, at);
            m_rest.remove_prefix(at + end.size());
            return Outcome::Calls;
        }
        return Outcome::Undecided;
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

/// What a parameter's schema says behind references to the tool's own definitions, and as the one part of
/// "allOf". Null: nothing that can be found.
const json* referredTo(const json& tool, const json* schema) {
    constexpr int kMostSteps = 8;  // some refer to themselves
    for (int step = 0; step < kMostSteps; ++step) {
        if (!schema->is_object()) return schema;
        if (const auto all = schema->find("allOf");
            all != schema->end() && all->is_array() && all->size() == 1 && !schema->contains("type")) {
            schema = &all->front();
            continue;
        }
        const auto reference = schema->find("$ref");
        if (reference == schema->end() || !reference->is_string()) return schema;
        const std::string_view place = reference->get_ref<const std::string&>();
        schema = nullptr;
        for (const char* folder : {"$defs", "definitions"}) {
            const std::string begin = std::string("#/") + folder + "/";
            const auto definitions = tool.find(folder);
            if (!place.starts_with(begin) || definitions == tool.end() || !definitions->is_object()) continue;
            const auto found = definitions->find(std::string(place.substr(begin.size())));
            if (found != definitions->end()) schema = &*found;
        }
        if (!schema) return nullptr;
    }
    return nullptr;
}

}  // namespace

std::string ReadCall::json() const {
    return fmt::format(R"({{"name":{},"arguments":{}}})", jsonString(name),
                       isWhole ? arguments : jsonString(arguments));
}

CallReading::CallReading(std::string_view tools, std::string_view source,
                         std::shared_ptr<const InferredForm> inferred,
                         std::shared_ptr<const InferredThought> thought)
    : m_source(source), m_inferred(std::move(inferred)), m_thought(std::move(thought)) {
    const json list = parseBounded<json>(tools, {.depth = 32});
    if (!list.is_array()) return;
    for (const json& tool : list) {
        const json function = tool.is_object() ? tool.value("function", json()) : json();
        if (!function.is_object() || !function.contains("name") || !function["name"].is_string()) continue;
        m_parameters[function["name"].get<std::string>()] = function.value("parameters", json::object());
    }
    if (m_parameters.empty()) return;
    if (m_inferred) {
        m_ownForm = std::make_shared<const CallForm>(m_inferred->form());
        m_forms.push_back(m_ownForm.get());
    }
    const auto forms = allCallForms();
    for (const CallForm& form : forms)
        if (source.find(form.signOrBegin()) != source.npos) m_forms.push_back(&form);
    // A template that refuses is replaced, and the model is told of tools in words.
    if (std::ranges::find(m_forms, &forms.front()) == m_forms.end()) m_forms.push_back(&forms.front());
}

std::string_view CallReading::nameAt(std::string_view text, bool& isOpen) const {
    std::string_view longest;
    for (const auto& [name, schema] : m_parameters) {
        if (text.starts_with(name) && name.size() > longest.size()) longest = name;
        isOpen = isOpen || (text.size() <= name.size() && std::string_view(name).starts_with(text));
    }
    return longest;
}

const json* CallReading::schemaOf(std::string_view tool, std::string_view parameter) const {
    const auto found = m_parameters.find(tool);
    if (found == m_parameters.end() || !found->second.is_object()) return nullptr;
    const auto properties = found->second.find("properties");
    if (properties == found->second.end() || !properties->is_object()) return nullptr;
    const auto schema = properties->find(std::string(parameter));
    return schema == properties->end() ? nullptr : referredTo(found->second, &*schema);
}

ReadCalls readCalls(const CallForm& form, std::string_view text, const CallReading& reading, bool isEnd) {
    return Matcher(form, text, reading, isEnd).run();
}

}  // namespace ingle::chat
