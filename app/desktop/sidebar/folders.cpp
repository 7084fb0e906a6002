#include "app/desktop/sidebar/folders.h"

#include <QVariantMap>

#include <utility>

#include "app/desktop/services/text.h"
#include "app/history/chats/folders.h"

namespace ingle::desktop {

Folders::Folders(StorageThread& storage, QObject* parent) : QObject(parent), m_storage(storage) {
    refresh();
}

QVariantList Folders::all() const {
    QVariantList list;
    for (const history::Folder& each : m_folders)
        list << QVariantMap{{"id", static_cast<qint64>(each.id)}, {"name", toQString(each.name)}};
    return list;
}

void Folders::refresh() {
    const auto work = [](history::HistoryReader& history) { return history::folders(history); };
    m_storage.readBehindWrites(this, work, [this](Result<std::vector<history::Folder>> folders) {
        if (!folders) return;  // the list of conversations says why
        m_folders = std::move(*folders);
        emit changed();
    });
}

}  // namespace ingle::desktop
