/// The texts that a template writes around the name and the arguments of one call: what a call that is
/// demanded of a model is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/chat/dialects/call_reader.h"
#include "engine/chat/jinja/template.h"
#include "engine/chat/message_values.h"

namespace ingle::chat {

struct CallLayout {
    /// Stands in the texts for a call's id.
    static constexpr std::string_view kId = "qzcallid";

    std::string begin;  ///< before the name
    std::string open;   ///< between the name and the arguments, or the first key
    std::string end;    ///< behind the arguments, or the last value

    /// Of arguments that are written one by one.
    struct Parameters {
        std::string textGap, gap;  ///< between a key and its value: a text, or something else
        std::string textEnd;       ///< behind a text, before what comes behind every value
        std::string separator;     ///< behind a value, before the next key
        std::string emptyEnd;      ///< behind the name of a call without arguments
    };
    std::optional<Parameters> parameters;  ///< nothing: the arguments are one object of JSON
};

/// Nothing where a template writes no calls that are read back. `inferred`: see
/// CallReading.
std::optional<CallLayout> findCallLayout(const jinja::Template& chatTemplate, std::string_view source,
                                         const MessageForm& messages,
                                         std::shared_ptr<const InferredDialect> inferred);

}  // namespace ingle::chat
