#include "app/serve/api/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/serve/api/json_text.h"
#include "ingle/demanded_call.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostTools = 128;

struct Function {
    std::string name;
    json parameters;
};

std::vector<Function> readFunctions(Fields& fields, const json& tools) {
    std::vector<Function> functions;
    if (tools.size() > kMostTools)
        fields.complain(fmt::format("There can be {} tools at most.", kMostTools), "tools");
    for (size_t index = 0; index < tools.size(); ++index) {
        Fields tool(tools[index], fmt::format("tools[{}]", index));
        tool.ignoreHints();
        tool.require("type");
        tool.expect("type", "function");
        tool.require("function");
        if (const json* function = tool.object("function")) {
            Fields inner(*function, tool.placeOf("function"));
            inner.ignoreHints();
            inner.require("name");
            inner.ignore("strict");           // a call that is demanded always follows its schema
            (void)inner.text("description");  // the model reads it
            Function added{inner.text("name").value_or(""), json::object()};
            if (const json* parameters = inner.object("parameters")) added.parameters = *parameters;
            if (auto whole = inner.finish(); !whole) tool.complain(whole.error());
            functions.push_back(std::move(added));
        }
        if (auto whole = tool.finish(); !whole) fields.complain(whole.error());
    }
    return functions;
}

/// {"name": the function's, "arguments": what its parameters say}
json callSchema(const Function& function) {
    json arguments = function.parameters;
    if (arguments.empty())
        arguments = {{"type", "object"}, {"additionalProperties", false}};
    else if (!arguments.contains("$id"))
        arguments["$id"] = "call:" + function.name;  // where its references begin
    return {{"type", "object"},
            {"properties", {{"name", {{"const", function.name}}}, {"arguments", std::move(arguments)}}},
            {"required", {"name", "arguments"}},
            {"additionalProperties", false}};
}

std::string schemaOf(const std::vector<Function>& functions) {
    json schema;
    if (functions.size() == 1) {
        schema = callSchema(functions.front());
    } else {
        schema["anyOf"] = json::array();
        for (const Function& function : functions) schema["anyOf"].push_back(callSchema(function));
    }
    schema["$comment"] = kDemandedCall;
    return toText(schema);
}

/// The name in {"type": "function", "function": {"name": …}}.
std::string chosenName(Fields& fields, const json& choice) {
    Fields chosen(choice, "tool_choice");
    chosen.expect("type", "function");
    chosen.require("function");
    std::string name;
    if (const json* function = chosen.object("function")) {
        Fields inner(*function, "tool_choice.function");
        inner.require("name");
        name = inner.text("name").value_or("");
        if (auto whole = inner.finish(); !whole) chosen.complain(whole.error());
    }
    if (auto whole = chosen.finish(); !whole) fields.complain(whole.error());
    return name;
}

}  // namespace

Tools readTools(Fields& fields) {
    Tools read;
    const json* tools = fields.list("tools");
    const json* choice = fields.any("tool_choice");
    read.isSingle = !fields.boolean("parallel_tool_calls").value_or(true);  // a demanded call always is
    const std::vector<Function> functions = tools ? readFunctions(fields, *tools) : std::vector<Function>{};
    const bool isWord = choice != nullptr && choice->is_string();
    const std::string word = isWord ? choice->get<std::string>() : "auto";
    if (functions.empty()) {
        if (choice != nullptr && !(isWord && (word == "none" || word == "auto")))
            fields.complain("'tool_choice' needs 'tools'.", "tool_choice");
        return read;
    }
    if (word == "none") return read;
    read.list = toText(*tools);
    if (choice == nullptr || word == "auto") {
        if (choice == nullptr || isWord) return read;
        const std::string name = chosenName(fields, *choice);
        const auto found = std::ranges::find(functions, name, &Function::name);
        if (found == functions.end())
            fields.complain(fmt::format("No tool is called '{}'.", shown(name)), "tool_choice");
        else
            read.schema = schemaOf({*found});
    } else if (word == "required") {
        read.schema = schemaOf(functions);
    } else {
        fields.complain(fmt::format("Unsupported value of 'tool_choice': '{}'.", shown(word)), "tool_choice");
    }
    return read;
}

}  // namespace ingle::serve::api
