#include "engine/session/conversations/pooled_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/kernels/ref/elementwise.h"

namespace ingle::session {
namespace {

std::vector<float> expanded(const tensor::Tensor* tensor) {
    if (!tensor) return {};
    std::vector<float> values(tensor->shape.numElems());
    const uint64_t width = tensor->shape.rowElems();
    for (uint64_t row = 0; row < tensor->shape.numRows(); ++row)
        tensor->decodeRow(row, std::span(values).subspan(row * width, width));
    return values;
}

float activated(backend::ActivationKind kind, float x) {
    switch (kind) {
#define INGLE_ACTIVATION(number, Kind, function) \
    case backend::ActivationKind::Kind:          \
        return kernels::function##Ref(x);
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION
    }
    return x;
}

/// A norm without bias.
void normalise(std::vector<float>& row, const std::vector<float>& gain, float eps) {
    const auto size = static_cast<double>(row.size());
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / size;
    double variance = 0;
    for (const float value : row) variance += (value - mean) * (value - mean) / size;
    for (size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<float>((row[i] - mean) / std::sqrt(variance + double{eps}) * gain[i]);
}

void makeShares(std::vector<float>& scores) {
    const float largest = *std::ranges::max_element(scores);
    for (float& score : scores) score = std::exp(score - largest);
    const float sum = std::accumulate(scores.begin(), scores.end(), 0.0F);
    for (float& score : scores) score /= sum;
}

}  // namespace

PooledSteps::PooledSteps(const models::BoundModel& model) {
    for (const models::PooledStep& step : model.facts().pooledSteps) {
        const tensor::Tensor* gain = step.norm.empty() ? nullptr : model.weights[step.norm];
        m_layers.push_back({step, expanded(model.weights[step.name + ".weight"]),
                            expanded(model.weights[step.name + ".bias"]), expanded(gain)});
    }
}

std::vector<float> PooledSteps::apply(std::vector<float> row) const {
    for (const Layer& layer : m_layers) row = applyLayer(layer, row);
    return row;
}

std::vector<float> PooledSteps::applyLayer(const Layer& layer, const std::vector<float>& row) {
    std::vector<float> y(layer.step.out);
    for (size_t out = 0; out < y.size(); ++out) {
        const float* weights = layer.matrix.data() + out * row.size();
        double sum = layer.bias.empty() ? 0.0 : double{layer.bias[out]};
        for (size_t i = 0; i < row.size(); ++i) sum += double{weights[i]} * double{row[i]};
        y[out] = static_cast<float>(sum);
        if (layer.step.activation) y[out] = activated(*layer.step.activation, y[out]);
    }
    if (!layer.gain.empty()) normalise(y, layer.gain, layer.step.normEps);
    if (layer.step.makesShares) makeShares(y);
    return y;
}

}  // namespace ingle::session
