#include "engine/lab/column_sums.h"

#include <variant>

#include "engine/lab/text_windows.h"

namespace ingle::lab {
namespace {

using backend::OpCode;
using backend::SeenOp;
using backend::SeenValue;
using importer::ColumnSums;

class Collector final : public backend::OpObserver {
  public:
    explicit Collector(ColumnSums& sums) : m_sums(sums) {}

    bool wantsInputs() const override { return true; }
    void afterOp(const SeenOp& seen) override {
        if (seen.op.code == OpCode::Linear) addLinear(seen);
        if (seen.op.code == OpCode::ExpertLinear) addExperts(seen);
    }

  private:
    /// Null: its columns are not counted.
    ColumnSums::Matrix* entry(const tensor::Tensor& matrix) {
        if (!matrix.name.starts_with("blk.")) return nullptr;
        ColumnSums::Matrix& sums = m_sums.matrices[matrix.name];
        if (sums.squares.empty()) {
            sums.squares.resize(matrix.shape.rowElems() * matrix.shape.dims[2]);
            sums.counts.resize(matrix.shape.dims[2]);
        }
        return &sums;
    }

    static void add(std::span<const float> x, size_t matrix, ColumnSums::Matrix& sums) {
        double* out = sums.squares.data() + matrix * x.size();
        for (size_t i = 0; i < x.size(); ++i) out[i] += double{x[i]} * x[i];
        sums.counts[matrix] += 1;
    }

    void addLinear(const SeenOp& seen) {
        const SeenValue& x = seen.inputs[0];
        for (const backend::LinearPart& part : std::get<backend::LinearParams>(seen.op.params).parts) {
            ColumnSums::Matrix* sums = entry(*seen.weights[seen.op.weights[part.matrix]].tensor);
            for (size_t at = 0; sums && at < x.rows.size(); at += x.width)
                add(x.rows.subspan(at, x.width), 0, *sums);
        }
    }

    /// Part s of a row of x, or all of it, went through the s-th expert of the row's routing.
    void addExperts(const SeenOp& seen) {
        const SeenValue& x = seen.inputs[0];
        const SeenValue& routing = seen.inputs[1];
        const tensor::Tensor& matrix = *seen.weights[seen.op.weights[0]].tensor;
        ColumnSums::Matrix* sums = entry(matrix);
        if (!sums) return;
        const size_t columns = matrix.shape.rowElems();
        const size_t numUsed = routing.width / 2;  // ids, then shares
        const size_t stride = x.width == columns ? 0 : columns;
        for (size_t row = 0; row < x.rows.size() / x.width; ++row) {
            for (size_t s = 0; s < numUsed; ++s) {
                const auto expert = static_cast<size_t>(routing.rows[row * routing.width + s]);
                add(x.rows.subspan(row * x.width + s * stride, columns), expert, *sums);
            }
        }
    }

    ColumnSums& m_sums;
};

}  // namespace

Result<ColumnSums> columnSums(const std::string& path, const LoadOptions& load, std::string_view text,
                              uint32_t windowTokens, const ProgressFn& progress) {
    LoadOptions plain = load;
    plain.fuse = false;  // each matrix by itself
    INGLE_TRY_ASSIGN(TextWindows windows, TextWindows::open(path, plain, text, windowTokens));
    ColumnSums sums;
    sums.windowTokens = windows.tokensOfWindow();
    sums.numWindows = static_cast<uint32_t>(windows.count());
    Collector collector(sums);
    windows.observe(&collector);
    for (size_t window = 0; window < windows.count(); ++window) {
        if (progress)
            progress(static_cast<double>(window) / static_cast<double>(windows.count()), "reading the text");
        // From the first position on: what nobody asks for, the last layer does not compute.
        INGLE_TRY(windows.read(window, 0, [](std::span<const float>, TokenId) -> Status { return {}; }));
    }
    return sums;
}

}  // namespace ingle::lab
