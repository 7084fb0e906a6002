/// A chat template in Jinja's language, as Hugging Face models and GGUF files carry it.
/// Source: Jinja's template designer documentation; Hugging Face's "Templates for Chat Models" for the
/// environment (raise_exception, strftime_now, tojson, white space, loop controls, generation blocks).
#pragma once

#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/interpreter.h"
#include "engine/tokenizer/tokenizer.h"

namespace ingle::chat::jinja {

/// Immutable after parsing: any thread.
class Template {
  public:
    /// Errors: Corrupt, with the line; Unsupported for what chat templates do not use.
    static Result<Template> parse(std::string_view source);

    /// Runs the template. `context` is a dict of variables by name. Text whose origin is not the template is
    /// never parseSpecial. Errors: InvalidArgument, with the template's own sentence when it refuses
    /// (raise_exception); Unsupported when it exceeds the limits; Cancelled, as `meter` says.
    Result<std::vector<tokenizer::TextSegment>> render(const Dict& context, const std::tm& now,
                                                       Meter& meter) const;

  private:
    explicit Template(Body body) : m_body(std::make_shared<const Body>(std::move(body))) {}

    std::shared_ptr<const Body> m_body;
};

}  // namespace ingle::chat::jinja
