#include "app/desktop/viewmodels/folders.h"

#include <QLocale>
#include <QVariantMap>

#include <algorithm>
#include <utility>

#include "app/desktop/text.h"

namespace ingle::desktop {

Folders::Folders(StorageThread& storage, const Settings& settings, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_settings(settings), m_notices(notices) {
    refresh();
}

QVariantList Folders::all() const {
    QVariantList list;
    for (const history::Folder& each : m_folders)
        list << QVariantMap{{"id", static_cast<qint64>(each.id)}, {"name", toQString(each.name)}};
    return list;
}

const history::Folder* Folders::find(history::RowId folder) const {
    const auto found = std::ranges::find(m_folders, folder, &history::Folder::id);
    return found == m_folders.end() ? nullptr : &*found;
}

QString Folders::editedName() const {
    const history::Folder* folder = find(m_edited);
    return folder == nullptr ? QString() : toQString(folder->name);
}

QString Folders::usualTemperature() const {
    return QLocale::c().toString(static_cast<double>(m_settings.sampler().temperature), 'g', 3);
}

void Folders::refresh() {
    const auto work = [](history::HistoryReader& history) { return history.folders(); };
    m_storage.readBehindWrites(this, work, [this](Result<std::vector<history::Folder>> folders) {
        if (!folders) return;  // the list of conversations says why
        m_folders = std::move(*folders);
        emit changed();
    });
}

void Folders::edit(qint64 folder) {
    const history::Folder* wanted = find(folder);
    m_edited = wanted == nullptr ? 0 : wanted->id;
    const history::Profile profile = wanted == nullptr ? history::Profile{} : wanted->profile;
    m_prompt = toQString(profile.systemPrompt.value_or(""));
    m_temperature = profile.temperature ? QLocale::c().toString(*profile.temperature, 'g', 3) : QString();
    emit edited();
}

void Folders::store() {
    if (m_edited == 0) return;
    history::Profile profile;
    if (!m_prompt.trimmed().isEmpty()) profile.systemPrompt = m_prompt.toStdString();
    bool isNumber = false;
    const double temperature = QString(m_temperature).replace(',', '.').toDouble(&isNumber);
    if (isNumber) profile.temperature = temperature;
    const auto work = [folder = std::exchange(m_edited, 0), profile](history::History& history) {
        return history.setFolderProfile(folder, profile);
    };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        refresh();
        emit stored();
    });
}

}  // namespace ingle::desktop
