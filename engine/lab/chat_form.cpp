#include "engine/lab/chat_form.h"

#include <algorithm>
#include <cstdio>

#include "engine/chat/jinja/template.h"
#include "engine/chat/markup.h"
#include "engine/chat/prompt_renderer.h"
#include "engine/formats/model_file.h"

namespace ingle::lab {

Result<std::tm> parseTime(const std::string& text) {
    std::tm time{};
    int used = 0;
    const int count = std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d%n", &time.tm_year, &time.tm_mon,
                                  &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &used);
    if (count != 6 || static_cast<size_t>(used) != text.size())
        return fail(ErrorCode::InvalidArgument, "'{}' is no time like 2025-07-26T12:34:56", text);
    time.tm_year -= 1900;
    time.tm_mon -= 1;
    std::tm normalized = time;
    timegm(&normalized);  // finds the day of the week and of the year
    return normalized;
}

Result<ChatForm> ChatForm::open(const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    ChatForm form;
    formats::ModelFile file;
    form.m_isTemplate = path.ends_with(".jinja");
    if (form.m_isTemplate) {
        INGLE_TRY_ASSIGN(const auto mapped, io::MappedFile::map(source));
        const auto bytes = mapped->bytes();
        file.tokenizer.chatTemplate.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const auto parsed = chat::jinja::Template::parse(file.tokenizer.chatTemplate);
        if (!parsed) return fail(parsed.error().code, "{}: {}", path, parsed.error().message);
        file.tokenizer.tokens = {"", ""};
        file.tokenizer.bos = 0;
        file.tokenizer.eos = 1;
    } else {
        INGLE_TRY_ASSIGN(file, formats::openModelFile(source));
    }
    form.m_file = std::make_shared<const formats::ModelFile>(std::move(file));
    return form;
}

Result<ChatForm::Prompt> ChatForm::prompt(const GenerateRequest& request,
                                          const Circumstances& circumstances) const {
    chat::PromptRenderer renderer = chat::PromptRenderer::create(*m_file).inForm(request.promptForm);
    if (m_isTemplate) renderer = renderer.withTokens(circumstances.bos, circumstances.eos);
    if (!circumstances.now.empty()) {
        INGLE_TRY_ASSIGN(const std::tm now, parseTime(circumstances.now));
        renderer = renderer.at(now);
    }
    chat::PromptRenderer::Rendered rendered = renderer.render(request.messages, chat::GenerationPrompt::Add);
    Prompt prompt{.text = {}, .note = std::move(rendered.note)};
    for (const auto& segment : rendered.segments) prompt.text += segment.text;
    if (!request.resumeText.empty())
        prompt.text += chat::thoughtEnding(prompt.text, renderer.callReading()) + request.resumeText;
    return prompt;
}

std::vector<PartPiece> ChatForm::read(const Reply& reply) const {
    const auto renderer = chat::PromptRenderer::create(*m_file).inForm(reply.form);
    chat::MarkupSplitter reader(reply.promptEnd, renderer.callReading());
    std::vector<PartPiece> pieces;
    const std::string raw = renderer.controlTokens().spelled(reply.raw);
    const size_t step = reply.cut > 0 ? reply.cut : std::max<size_t>(raw.size(), 1);
    for (size_t at = 0; at < raw.size(); at += step)
        for (const PartPiece& piece : reader.push(std::string_view(raw).substr(at, step)))
            append(pieces, piece);
    for (const PartPiece& piece : reader.finish()) append(pieces, piece);
    return pieces;
}

}  // namespace ingle::lab
