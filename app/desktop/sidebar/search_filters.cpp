#include "app/desktop/sidebar/search_filters.h"

#include <QDateTime>
#include <QVariantMap>

#include "app/desktop/services/text.h"
#include "app/history/search/search.h"

namespace ingle::desktop {

SearchFilters::SearchFilters(StorageThread& storage, QObject* parent) : QObject(parent), m_storage(storage) {}

history::SearchFilter SearchFilters::filter() const {
    history::SearchFilter filter;
    if (!m_role.isEmpty()) filter.role = m_role == "user" ? Role::User : Role::Assistant;
    filter.folder = static_cast<history::RowId>(m_folder);
    filter.modelId = m_model.toStdString();
    // From the beginning of a day: "today" is no more than that.
    if (m_days > 0)
        filter.sinceMs = QDate::currentDate().addDays(1 - m_days).startOfDay().toMSecsSinceEpoch();
    return filter;
}

void SearchFilters::refresh() {
    const auto work = [](history::HistoryReader& history) { return history::models(history); };
    m_storage.run(this, work, [this](const Result<std::vector<history::UsedModel>>& models) {
        if (!models) return;  // the search says why
        m_models.clear();
        for (const history::UsedModel& each : *models)
            m_models << QVariantMap{{"id", toQString(each.id)}, {"name", toQString(each.name)}};
        emit modelsChanged();
    });
}

void SearchFilters::clear() {
    if (filter() == history::SearchFilter{}) return;
    m_role.clear();
    m_days = 0;
    m_folder = 0;
    m_model.clear();
    emit changed();
}

}  // namespace ingle::desktop
