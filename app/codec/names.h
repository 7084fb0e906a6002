/// What enumerators are called wherever they are written: one table for each of them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingle/part.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "ingle/role_name.h"
#include "ingle/text_use.h"
#include "ingle/types.h"

namespace ingle::codec {

template <typename Enum>
using Name = std::pair<Enum, std::string_view>;

/// The table, in camelCase, of an enumeration that is written.
template <typename Enum>
inline constexpr std::array<Name<Enum>, 0> kNames{};

template <>
inline constexpr auto kNames<Role> = std::to_array<Name<Role>>({{Role::System, roleName(Role::System)},
                                                                {Role::User, roleName(Role::User)},
                                                                {Role::Assistant,
                                                                 roleName(Role::Assistant)}});
template <>
inline constexpr auto kNames<BackendChoice> = std::to_array<Name<BackendChoice>>(
    {{BackendChoice::Auto, "auto"}, {BackendChoice::Cpu, "cpu"}, {BackendChoice::Vulkan, "vulkan"}});
template <>
inline constexpr auto kNames<KvType> =
    std::to_array<Name<KvType>>({{KvType::F32, "f32"}, {KvType::F16, "f16"}, {KvType::Q8, "q8"}});
template <>
inline constexpr auto kNames<KvMemory> = std::to_array<Name<KvMemory>>({{KvMemory::Device, "device"},
                                                                        {KvMemory::Main, "main"}});
template <>
inline constexpr auto kNames<ActivationType> =
    std::to_array<Name<ActivationType>>({{ActivationType::Auto, "auto"}, {ActivationType::F32, "f32"}});
template <>
inline constexpr auto kNames<Guesses> = std::to_array<Name<Guesses>>({{Guesses::Off, "off"},
                                                                      {Guesses::LookUp, "lookUp"},
                                                                      {Guesses::Draft, "draft"}});
template <>
inline constexpr auto kNames<StopReason> =
    std::to_array<Name<StopReason>>({{StopReason::EndOfText, "endOfText"},
                                     {StopReason::MaxTokens, "maxTokens"},
                                     {StopReason::ContextFull, "contextFull"},
                                     {StopReason::Cancelled, "cancelled"}});
template <>
inline constexpr auto kNames<PartKind> = std::to_array<Name<PartKind>>({{PartKind::Text, "text"},
                                                                        {PartKind::Thought, "thought"},
                                                                        {PartKind::ToolCall, "toolCall"},
                                                                        {PartKind::ToolResult, "toolResult"},
                                                                        {PartKind::Attachment, "attachment"},
                                                                        {PartKind::Image, "image"},
                                                                        {PartKind::Source, "source"}});
template <>
inline constexpr auto kNames<WhenFull> = std::to_array<Name<WhenFull>>({{WhenFull::DropOldest, "dropOldest"},
                                                                        {WhenFull::Refuse, "refuse"}});
template <>
inline constexpr auto kNames<Thinking> = std::to_array<Name<Thinking>>({{Thinking::AsUsual, "asUsual"},
                                                                        {Thinking::On, "on"},
                                                                        {Thinking::Off, "off"}});
template <>
inline constexpr auto kNames<TextUse> = std::to_array<Name<TextUse>>({{TextUse::Alone, "alone"},
                                                                      {TextUse::Query, "query"},
                                                                      {TextUse::Document, "document"}});
template <>
inline constexpr auto kNames<FitRemedy> =
    std::to_array<Name<FitRemedy>>({{FitRemedy::ShorterContext, "shorterContext"},
                                    {FitRemedy::SmallerCache, "smallerCache"},
                                    {FitRemedy::SmallerModel, "smallerModel"}});
template <>
inline constexpr auto kNames<ModelAction> =
    std::to_array<Name<ModelAction>>({{ModelAction::Open, "open"},
                                      {ModelAction::MakeSmaller, "makeSmaller"},
                                      {ModelAction::Import, "import"},
                                      {ModelAction::ReadText, "readText"},
                                      {ModelAction::GetInstead, "getInstead"}});
template <>
inline constexpr auto kNames<DeviceUse> = std::to_array<Name<DeviceUse>>({{DeviceUse::Automatic, "automatic"},
                                                                          {DeviceUse::OnRequest, "onRequest"},
                                                                          {DeviceUse::Never, "never"}});
template <>
inline constexpr auto kNames<ErrorCode> =
    std::to_array<Name<ErrorCode>>({{ErrorCode::Io, errorCodeName(ErrorCode::Io)},
                                    {ErrorCode::Corrupt, errorCodeName(ErrorCode::Corrupt)},
                                    {ErrorCode::Unsupported, errorCodeName(ErrorCode::Unsupported)},
                                    {ErrorCode::InvalidArgument, errorCodeName(ErrorCode::InvalidArgument)},
                                    {ErrorCode::OutOfMemory, errorCodeName(ErrorCode::OutOfMemory)},
                                    {ErrorCode::Device, errorCodeName(ErrorCode::Device)},
                                    {ErrorCode::Cancelled, errorCodeName(ErrorCode::Cancelled)}});

/// "endOfText" as "end_of_text".
inline std::string inSnakeCase(std::string_view camelCase) {
    std::string text;
    for (const char c : camelCase) {
        const bool isUpper = c >= 'A' && c <= 'Z';
        if (isUpper) text += '_';
        text += isUpper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

template <typename Enum>
std::string_view nameOf(Enum value) {
    const auto& names = kNames<Enum>;
    static_assert(!names.empty(), "an enumeration without a table of names");
    const auto found = std::ranges::find(names, value, &Name<Enum>::first);
    return found == names.end() ? std::string_view() : found->second;
}

template <typename Enum>
std::optional<Enum> named(std::string_view text) {
    for (const auto& [value, name] : kNames<Enum>)
        if (name == text) return value;
    return std::nullopt;
}

// The same in snake_case, as in the history's file and in exports.
template <typename Enum>
std::string snakeNameOf(Enum value) {
    return inSnakeCase(nameOf(value));
}
template <typename Enum>
std::optional<Enum> snakeNamed(std::string_view text) {
    for (const auto& [value, name] : kNames<Enum>)
        if (inSnakeCase(name) == text) return value;
    return std::nullopt;
}

}  // namespace ingle::codec
