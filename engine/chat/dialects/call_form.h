/// How models write thoughts, answers and calls of tools: one row per form.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/part.h"

namespace ingle::chat {

/// Patterns are texts with slots. A blank or line break in one stands for any white space, or none.
///   {name}        the name of a tool that was offered; a second time the same again
///   {numbered}    "functions.NAME:0", which is also the call's id
///   {id}, {any}   up to the text behind it; the first is the call's id
///   {arguments}   a JSON object
///   {call}        a JSON object of name and arguments, {NAME: arguments}, or a list
///   {python}      [NAME(key=value, …), …]
///   {braces}      {key:value,…} with texts between <|"|>
///   {parameters}  `parameter` as often as it comes, with {key}, {value} and {type}. A value of the type
///                 "string" or "true" is a text, whatever the schema says. A line break before {value}
///                 means one on each side of it. In its place: {xml} may be <![CDATA[…]]>, {nested} may be
///                 parameters again, and {literal} is a value of JSON or Python. A second {key} is the same
///                 again.
struct CallForm {
    std::string_view begin;  ///< empty: calls may only be the first thing that is written
    std::string_view end;    ///< empty: they end with the last one
    std::string_view call;
    std::string_view parameter = {};
    std::string_view sign = {};       ///< what a template of this form has in its text; empty: `begin`
    bool isPart = false;              ///< `begin` is also the beginning of `call`
    std::string_view between = {};    ///< may stand between calls
    std::string_view separator = {};  ///< may stand between parameters
    std::string_view nameKey = {};    ///< of {call}, beside those that are in use
    std::string_view argumentsKey = {}, idKey = {};  ///< the same

    std::string_view signOrBegin() const { return sign.empty() ? begin : sign; }
};

std::span<const CallForm> allCallForms();

/// What one mark begins, and what ends it. Marks themselves are not part of any text.
struct Markup {
    /// A control token counts anywhere.
    enum class Counts {
        AtBeginning,  ///< of an answer: behind that it may be what the answer speaks of
        IfWritten,    ///< there, for models whose template writes it
        Anywhere,     ///< for such models
    };
    std::string_view begin;
    std::string_view end;  ///< empty: it lasts until another mark begins
    PartKind kind;
    Counts counts = Counts::AtBeginning;

    /// What a template of such a model has in its text.
    std::string_view sign() const {
        const size_t close = begin.find('>');
        return close == begin.npos ? begin : begin.substr(0, close + 1);
    }
};

std::span<const Markup> allMarkups();

/// What no row describes, found out by what a template writes.
struct InferredDialect {
    struct Form {
        std::string begin, end, call, parameter, between, separator, nameKey, argumentsKey, idKey;
    };
    struct Marks {
        std::string begin, end;
        PartKind kind;
        Markup::Counts counts;
    };
    std::optional<Form> calls;
    std::vector<Marks> marks;
};

}  // namespace ingle::chat
