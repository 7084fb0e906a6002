#include "engine/chat/jinja/template.h"

namespace ingle::chat::jinja {

Result<Template> Template::parse(std::string_view source) {
    INGLE_TRY_ASSIGN(Body body, parseTemplate(source));
    return Template(std::move(body));
}

Result<std::vector<tokenizer::TextSegment>> Template::render(const Dict& context, const std::tm& now,
                                                             Meter& meter) const {
    Interpreter in(context, now, meter);
    INGLE_TRY(execute(in, *m_body));
    const Text output = in.takeOutput();
    std::vector<tokenizer::TextSegment> segments;
    size_t begin = 0;
    for (const Text::Run& run : output.runs()) {
        segments.push_back(
            {std::string(output.bytes().substr(begin, run.end - begin)), run.origin == Origin::Template});
        begin = run.end;
    }
    return segments;
}

}  // namespace ingle::chat::jinja
