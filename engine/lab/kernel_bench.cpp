#include "engine/lab/kernel_bench.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <set>

#include "engine/graph/lower.h"
#include "engine/quant/integers.h"
#include "engine/tensor/side_data.h"

namespace ingle::lab {
namespace {

using tensor::Shape;
using tensor::Tensor;

constexpr uint64_t kMatrixBytes = uint64_t{128} << 20;  ///< of a chain
constexpr uint32_t kOps = 256;
constexpr uint32_t kOpWidth = 64;
constexpr uint32_t kProducts = 16;    ///< of a prompt, one behind the other
constexpr double kSlowSeconds = 0.2;  ///< of one of them, where two are enough to tell
constexpr int kSteps = 10, kPromptSteps = 3;
const quant::QuantFormat& floats() {
    return *quant::findFormat("F32");
}

/// Tensors of zeros, one behind the other in memory.
class Zeros {
  public:
    /// Errors: as tensor::checkedBytes().
    static Result<Zeros> create(const Shape& shape, const quant::QuantFormat& format, size_t count) {
        Zeros zeros;
        INGLE_TRY_ASSIGN(const uint64_t bytes, tensor::checkedBytes(shape, format));
        zeros.m_bytes.resize(count * bytes);
        for (size_t i = 0; i < count; ++i)
            zeros.m_tensors.push_back(
                {"zeros", shape, &format, std::span(zeros.m_bytes).subspan(i * bytes, bytes)});
        if (!quant::findInteger(format.id)) return zeros;
        const auto side = std::make_shared<const tensor::SideData>(
            tensor::SideData{.partColumns = shape.rowElems(), .scales = std::vector<float>(shape.numRows())});
        for (Tensor& tensor : zeros.m_tensors) tensor.side = side;
        return zeros;
    }
    /// The address stays: backends know tensors by it.
    const Tensor* operator[](size_t i) const { return &m_tensors[i]; }

  private:
    std::vector<std::byte> m_bytes;
    std::vector<Tensor> m_tensors;
};

/// Adds what is measured behind a row of zeros.
using Chain = std::function<graph::Value(graph::Builder& builder, graph::Value row)>;

/// Seconds of the fastest step of `numRows` rows.
Result<double> secondsOf(session::Place& place, const Tensor* table, const Chain& chain,
                         uint32_t numRows = 1) {
    graph::Builder builder;
    builder.logits(chain(builder, builder.embed(table, "row")));
    INGLE_TRY_ASSIGN(graph::Graph graph, builder.take());
    INGLE_TRY_ASSIGN(const auto memory,
                     place.backend().createMemory({.kv = {}, .states = {}}, {KvType::F32, 0}));
    INGLE_TRY_ASSIGN(const auto program,
                     place.backend().compile(
                         graph::lower(std::move(graph), {numRows, numRows, graph::Fusion::Off}), *memory));
    INGLE_TRY_ASSIGN(const auto sequence, memory->createSequence());
    const std::vector<TokenId> tokens(numRows);
    // Of rows whose logits nobody wants not all would be computed.
    std::vector<uint32_t> rows(numRows);
    std::iota(rows.begin(), rows.end(), 0);
    const backend::SequenceRun run{sequence.get(), numRows};
    double best = INFINITY;
    for (int step = 0; step < (numRows == 1 ? kSteps : kPromptSteps); ++step) {
        const auto begin = std::chrono::steady_clock::now();
        INGLE_TRY(program->run({tokens, {&run, 1}, rows}));
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, elapsed.count());
    }
    return best;
}

Result<KernelSpeeds::Matrix> matrixSpeeds(session::Place& place, const quant::QuantFormat& format,
                                          uint32_t dim) {
    const Shape shape = Shape::of(dim, dim);
    INGLE_TRY_ASSIGN(const uint64_t bytes, tensor::checkedBytes(shape, format));
    const size_t count = 2 + kMatrixBytes / bytes;
    INGLE_TRY_ASSIGN(const Zeros table, Zeros::create(Shape::of(dim), floats(), 1));
    INGLE_TRY_ASSIGN(const Zeros matrices, Zeros::create(shape, format, count));
    const auto products = [&](size_t number) -> Chain {
        return [&matrices, number, count](graph::Builder& builder, graph::Value row) {
            for (size_t i = 0; i < number; ++i) row = builder.linear(row, matrices[i % count], "product");
            return row;
        };
    };
    INGLE_TRY_ASSIGN(const double one, secondsOf(place, table[0], products(1)));
    INGLE_TRY_ASSIGN(const double all, secondsOf(place, table[0], products(count)));
    constexpr uint32_t kRows = KernelSpeeds::kPromptRows;
    INGLE_TRY_ASSIGN(const double oneOfPrompt, secondsOf(place, table[0], products(1), kRows));
    const uint32_t more = oneOfPrompt > kSlowSeconds ? 1 : kProducts;
    INGLE_TRY_ASSIGN(const double allOfPrompt, secondsOf(place, table[0], products(1 + more), kRows));
    return KernelSpeeds::Matrix{
        .format = std::string(format.name),
        .bytesPerSecond = static_cast<double>((count - 1) * bytes) / (all - one),
        .productsPerSecond = double{1} * more * kRows * dim * dim / (allOfPrompt - oneOfPrompt)};
}

Result<double> secondsPerOp(session::Place& place) {
    INGLE_TRY_ASSIGN(const Zeros table, Zeros::create(Shape::of(kOpWidth), floats(), 1));
    const auto chain = [](uint32_t count) -> Chain {
        return [count](graph::Builder& builder, graph::Value row) {
            for (uint32_t i = 0; i < count; ++i)
                row = builder.activation(row, backend::ActivationKind::Tanh, "op");
            return row;
        };
    };
    INGLE_TRY_ASSIGN(const double one, secondsOf(place, table[0], chain(1)));
    INGLE_TRY_ASSIGN(const double all, secondsOf(place, table[0], chain(1 + kOps)));
    return (all - one) / kOps;
}

}  // namespace

Result<KernelSpeeds> measureKernels(session::Model& model) {
    const session::OpenedModel& opened = model.opened();
    session::Place& place = model.placement().place();
    // Whole blocks of every format; smaller matrices would measure how long it takes to begin one.
    const uint32_t dim = std::max(2048U, (opened.bound.facts().dim + 255) / 256 * 256);
    std::set<const quant::QuantFormat*> formats;
    for (const auto& [name, tensor] : opened.file.tensors)
        if (tensor.shape.numRows() > 1) formats.insert(tensor.format);
    KernelSpeeds speeds;
    for (const quant::QuantFormat* format : formats) {
        INGLE_TRY_ASSIGN(auto matrix, matrixSpeeds(place, *format, dim));
        speeds.matrices.push_back(std::move(matrix));
    }
    std::ranges::sort(speeds.matrices, {}, &KernelSpeeds::Matrix::format);
    INGLE_TRY_ASSIGN(speeds.secondsPerOp, secondsPerOp(place));
    INGLE_TRY_ASSIGN(speeds.peaks, place.backend().measurePeaks());
    return speeds;
}

}  // namespace ingle::lab
