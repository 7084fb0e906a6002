#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/terminal_text.h"
#include "ingle/size_text.h"

namespace ingle::cli::inspect_command {
namespace {

struct Options {
    ModelOptions model;
    bool json = false;
};

void printJson(const Recognition& known) {
    const ModelInfo& info = known.info;
    const nlohmann::ordered_json json{
        {"kind", known.kind},
        {"sentence", known.sentence},
        {"path", info.path},
        {"name", info.name},
        {"format", info.format},
        {"family", info.family},
        {"file_bytes", info.fileBytes},
        {"weight_bytes", info.weightBytes},
        {"parameters", info.numParameters},
        {"layers", info.numLayers},
        {"dim", info.dim},
        {"vocab_size", info.vocabSize},
        {"trained_context", info.trainedContext},
        {"context", info.contextTokens},
        {"quant_bytes", info.quantBytes},
        {"tokenizer", info.tokenizer},
        {"prompt_format", info.promptFormat},
        {"prompt_note", info.promptNote},
        {"memory_need_bytes", info.memory.needBytes()},
        {"memory",
         {{"weight_bytes", info.memory.weightBytes},
          {"cache_bytes", info.memory.cacheBytes},
          {"work_bytes", info.memory.workBytes},
          {"most_bytes", info.memory.mostBytes},
          {"available_bytes", info.memory.availableBytes},
          {"usable_bytes", info.memory.usableBytes},
          {"fits", info.memory.fits()}}},
        {"foretold_tok_s", info.foretoldTokensPerSecond},
    };
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// "0.4", "9".
std::string wordsText(double words) {
    return words < 2 ? fmt::format("{:.1f}", words) : fmt::format("{:.0f}", words);
}

void printMemory(const ModelInfo& info) {
    const MemoryEstimate& memory = info.memory;
    fmt::print("  memory      {}: {} of weights, {} for a conversation, {} for work\n",
               sizeText(memory.needBytes()), sizeText(memory.weightBytes), sizeText(memory.cacheBytes),
               sizeText(memory.workBytes));
    fmt::print("              at most {} with several conversations\n", sizeText(memory.mostBytes));
    if (info.foretoldTokensPerSecond > 0)
        fmt::print("  speed       about {} words a second on the processor ({:.1f} tokens)\n",
                   wordsText(info.foretoldTokensPerSecond * kWordsPerToken), info.foretoldTokensPerSecond);
    if (memory.availableBytes == 0) return;
    fmt::print("  fits        {}: {} of {} are free\n", memory.fits() ? "yes" : "no",
               sizeText(memory.availableBytes), sizeText(memory.usableBytes));
    if (!memory.fits()) fmt::print("              {}\n", remedies(info));
    if (!info.contextNote.empty()) fmt::print("              {}\n", info.contextNote);
}

void printText(const Recognition& known) {
    constexpr double kMiB = 1 << 20;
    const ModelInfo& info = known.info;
    fmt::print("{}\n", known.sentence);
    if (known.can(ModelAction::MakeSmaller))
        fmt::print("  smaller     ingle import {} -o SMALLER.gguf --quant {}\n",
                   forStandardOutput(shellWord(info.path)), info.smallerQuant);
    fmt::print("  format      {}, {:.1f} MiB\n", info.format, static_cast<double>(info.fileBytes) / kMiB);
    fmt::print("  family      {}: {} layers, dim {}, vocabulary {}\n", info.family, info.numLayers, info.dim,
               info.vocabSize);
    fmt::print("  parameters  {:.2f} million\n", static_cast<double>(info.numParameters) / 1e6);
    for (const auto& [quant, bytes] : info.quantBytes) {
        fmt::print("  weights     {}: {:.1f} MiB\n", quant, static_cast<double>(bytes) / kMiB);
    }
    fmt::print("  tokenizer   {}, chat format {}\n", info.tokenizer, info.promptFormat);
    if (!info.promptNote.empty()) fmt::print("              {}\n", info.promptNote);
    if (info.contextTokens == 0) {
        fmt::print("  context     any length\n");
    } else if (info.trainedContext > 0) {
        fmt::print("  context     {} tokens (trained with {})\n", info.contextTokens, info.trainedContext);
    } else {
        fmt::print("  context     {} tokens\n", info.contextTokens);
    }
    printMemory(info);
}

Status inspect(const Options& options) {
    INGLE_TRY_ASSIGN(const Recognition known, recogniseWith(options.model));
    options.json ? printJson(known) : printText(known);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_flag("--json", options->json, "as JSON");
    return [options] { return inspect(*options); };
}

}  // namespace

extern const Command command{"inspect", "tell what a model file holds and needs", define};

}  // namespace ingle::cli::inspect_command
