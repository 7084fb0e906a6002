#include "engine/lab/trace.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "engine/io/atomic_file.h"
#include "engine/session/loading/model.h"

namespace ingle::lab {
namespace {

constexpr const char* kIndexName = "trace.txt";

class Recorder final : public backend::OpObserver {
  public:
    void afterOp(const backend::SeenOp& seen) override {
        for (const backend::SeenValue& value : seen.outputs)
            trace.push_back({std::string(value.name), value.width, {value.rows.begin(), value.rows.end()}});
    }

    Trace trace;
};

std::string fileOf(const std::string& folder, size_t index, const std::string& name) {
    return fmt::format("{}/{:04}-{}.f32", folder, index, name);
}

Status writeFile(const std::string& path, std::span<const std::byte> bytes) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(bytes));
    return file->commit(io::Durability::Unflushed);
}

}  // namespace

Result<Trace> traceModel(const std::string& path, const LoadOptions& load, std::span<const TokenId> tokens) {
    if (tokens.empty()) return fail(ErrorCode::InvalidArgument, "no tokens to trace");
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::Model::load(source, load, nullptr));
    INGLE_TRY_ASSIGN(const auto program, model->compileAllLogits(static_cast<uint32_t>(tokens.size())));
    INGLE_TRY_ASSIGN(const auto sequence, model->memory().createSequence());
    std::vector<uint32_t> rows(tokens.size());
    std::iota(rows.begin(), rows.end(), 0u);
    Recorder recorder;
    program->observe(&recorder);
    const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(tokens.size()),
                                   model->opened().bound.facts().prefixTokens(tokens)};
    INGLE_TRY(program->run({tokens, {&run, 1}, rows}));
    return std::move(recorder.trace);
}

Status writeTrace(const Trace& trace, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail(ErrorCode::Io, "{}: cannot be made: {}", folder, error.message());
    std::string index;
    for (size_t i = 0; i < trace.size(); ++i) {
        INGLE_TRY(writeFile(fileOf(folder, i, trace[i].name), std::as_bytes(std::span(trace[i].rows))));
        index += fmt::format("{} {}\n", trace[i].name, trace[i].width);
    }
    return writeFile(fmt::format("{}/{}", folder, kIndexName), std::as_bytes(std::span(index)));
}

Result<Trace> readTrace(const std::string& folder) {
    const std::string indexPath = fmt::format("{}/{}", folder, kIndexName);
    std::ifstream index(indexPath);
    if (!index) return fail(ErrorCode::Io, "{}: cannot be read", indexPath);
    Trace trace;
    for (std::string name; index >> name;) {
        TracedValue& value = trace.emplace_back();
        value.name = std::move(name);
        name.clear();
        index >> value.width;
        const std::string path = fileOf(folder, trace.size() - 1, value.name);
        std::error_code error;
        const uint64_t bytes = std::filesystem::file_size(path, error);
        if (error) return fail(ErrorCode::Io, "{}: {}", path, error.message());
        if (value.width == 0 || bytes % (uint64_t{value.width} * sizeof(float)) != 0)
            return fail(ErrorCode::Corrupt, "{}: {} bytes are not rows of {} floats", path, bytes,
                        value.width);
        value.rows.resize(bytes / sizeof(float));
        std::ifstream file(path, std::ios::binary);
        file.read(reinterpret_cast<char*>(value.rows.data()), static_cast<std::streamsize>(bytes));
        if (!file) return fail(ErrorCode::Io, "{}: cannot be read", path);
    }
    return trace;
}

std::vector<TraceDifference> compareTraces(const Trace& a, const Trace& b) {
    std::map<std::string_view, const TracedValue*> others;
    for (const TracedValue& value : b) others.emplace(value.name, &value);
    std::vector<TraceDifference> differences;
    for (const TracedValue& value : a) {
        const auto other = others.find(value.name);
        if (other == others.end() || other->second->rows.size() != value.rows.size()) continue;
        TraceDifference difference{.name = value.name};
        double squared = 0;
        double total = 0;
        for (size_t i = 0; i < value.rows.size(); ++i) {
            const double reference = other->second->rows[i];
            const double delta = value.rows[i] - reference;
            difference.maxAbsDifference = std::max(difference.maxAbsDifference, std::abs(delta));
            squared += delta * delta;
            total += reference * reference;
        }
        difference.nmse = total > 0 ? squared / total : squared;
        differences.push_back(std::move(difference));
    }
    return differences;
}

}  // namespace ingle::lab
