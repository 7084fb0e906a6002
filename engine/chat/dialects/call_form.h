/// How models write calls of tools: one row per form.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ingle::chat {

/// Patterns are texts with slots. A blank or line break in one stands for any white space, or none.
///   {name}        the name of a tool that was offered
///   {numbered}    "functions.NAME:0", which is also the call's id
///   {id}, {any}   up to the text behind it; the first is the call's id
///   {arguments}   a JSON object
///   {call}        a JSON object of "name" and "arguments" (or "parameters"), {NAME: arguments}, or a list
///   {python}      [NAME(key=value, …), …]
///   {braces}      {key:value,…} with texts between <|"|>
///   {parameters}  `parameter` as often as it comes, with {key}, {value} and {type}. A value of the type
///                 "string" or "true" is a text, whatever the schema says. A line break before {value}
///                 means one on each side of it. {xml} in its place may be <![CDATA[…]]>
struct CallForm {
    std::string_view begin;  ///< empty: calls may only be the first thing that is written
    std::string_view end;    ///< empty: they end with the last one
    std::string_view call;
    std::string_view parameter = {};
    std::string_view sign = {};  ///< what a template of this form has in its text; empty: `begin`
    bool isPart = false;         ///< `begin` is also the beginning of `call`

    std::string_view signOrBegin() const { return sign.empty() ? begin : sign; }
};

std::span<const CallForm> allCallForms();

/// A form that no row describes, found out by what a template writes.
struct InferredForm {
    std::string begin, end, call, parameter;

    CallForm form() const { return {begin, end, call, parameter}; }
};

/// The marks of a thought that no row describes.
struct InferredThought {
    std::string begin, end;
};

}  // namespace ingle::chat
