#include "engine/session/conversations/step_rows.h"

namespace ingle::session {

Status StepRows::add(backend::SequenceRun run, std::span<const TokenId> tokens,
                     const PromptPictures& pictures) {
    const size_t first = run.sequence->length();
    run.numRows = static_cast<uint32_t>(tokens.size());
    if (const PictureRun* picture = pictures.at(first)) {
        run.isPicture = true;
        INGLE_TRY_ASSIGN(const auto rows, m_model.pictures->rows(*picture->picture));
        const size_t width = picture->picture->layout.rowWidth;
        const auto begin =
            rows->begin() + static_cast<std::ptrdiff_t>((picture->firstRow + first - picture->first) * width);
        m_inputRows.insert(m_inputRows.end(), begin,
                           begin + static_cast<std::ptrdiff_t>(tokens.size() * width));
        m_tokens.insert(m_tokens.end(), tokens.size(), 0);
    } else {
        m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.end());
    }
    m_runs.push_back(run);
    if (!m_takesPictures || !m_model.bound.facts().hasCoordinates) return {};
    for (size_t i = 0; i < tokens.size(); ++i) m_coordinates.push_back(pictures.coordinatesOf(first + i));
    return {};
}

}  // namespace ingle::session
