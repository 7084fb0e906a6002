#include "engine/lab/trace.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"

namespace ingle::cli::trace_command {
namespace {

struct Options {
    ModelOptions model;
    std::string tokens;
    std::string dump;
    std::string compare;
};

void print(const lab::Trace& trace) {
    for (const lab::TracedValue& value : trace) {
        double squared = 0;
        for (const float x : value.rows) squared += double{x} * x;
        const auto [low, high] = std::ranges::minmax(value.rows);
        fmt::print("{:<36} [{}, {}]  rms {:.6g}  min {:.6g}  max {:.6g}\n", value.name,
                   value.rows.size() / value.width, value.width,
                   std::sqrt(squared / static_cast<double>(value.rows.size())), low, high);
    }
}

/// "cpu,vulkan". Nothing when it is not two backends.
std::optional<std::pair<BackendChoice, BackendChoice>> twoBackends(const std::string& text) {
    const auto named = [](std::string_view name) -> std::optional<BackendChoice> {
        if (name == "cpu") return BackendChoice::Cpu;
        if (name == "vulkan") return BackendChoice::Vulkan;
        return std::nullopt;
    };
    const size_t comma = text.find(',');
    if (comma == std::string::npos) return std::nullopt;
    const auto first = named(std::string_view(text).substr(0, comma));
    const auto second = named(std::string_view(text).substr(comma + 1));
    if (!first || !second) return std::nullopt;
    return std::pair{*first, *second};
}

Status compare(const lab::Trace& trace, const lab::Trace& reference) {
    const auto differences = lab::compareTraces(trace, reference);
    if (differences.empty())
        return fail(ErrorCode::InvalidArgument, "the two traces have no value in common");
    for (const lab::TraceDifference& difference : differences) {
        fmt::print("{:<36} max |difference| {:.3g}  NMSE {:.3g}\n", difference.name,
                   difference.maxAbsDifference, difference.nmse);
    }
    return {};
}

Status trace(const Options& options) {
    INGLE_TRY_ASSIGN(const std::vector<TokenId> tokens, parseTokens(options.tokens));
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(LoadOptions load, loadOptions(options.model));
    std::error_code told;  // by whoever writes there
    if (!options.dump.empty()) std::filesystem::create_directories(options.dump, told);
    INGLE_TRY(confineTo({path}, {.readable = {options.compare}, .writable = {options.dump}}));
    const auto backends = twoBackends(options.compare);
    if (backends) load.backend = backends->first;
    INGLE_TRY_ASSIGN(const lab::Trace traced, lab::traceModel(path, load, tokens));
    if (!options.dump.empty()) INGLE_TRY(lab::writeTrace(traced, options.dump));
    if (backends) {
        load.backend = backends->second;
        INGLE_TRY_ASSIGN(const lab::Trace reference, lab::traceModel(path, load, tokens));
        return compare(traced, reference);
    }
    if (!options.compare.empty()) {
        INGLE_TRY_ASSIGN(const lab::Trace reference, lab::readTrace(options.compare));
        return compare(traced, reference);
    }
    if (options.dump.empty()) print(traced);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--tokens", options->tokens, "ids to feed, exactly: 1,2,3")->required();
    app.add_option("--dump", options->dump, "folder for the values as raw float32");
    app.add_option("--compare", options->compare, "a folder dumped before, or two backends: cpu,vulkan");
    return [options] { return trace(*options); };
}

}  // namespace

extern const Command command{"trace", "print, keep or compare every named value of a forward pass", define};

}  // namespace ingle::cli::trace_command
