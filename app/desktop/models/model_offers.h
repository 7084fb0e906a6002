/// What somebody without a model can do: models on this disk that other programs keep, and models worth
/// getting, with those that suit this computer. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QString>

#include <string>
#include <vector>

#include "app/desktop/services/desktop_portal.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/opener.h"
#include "app/library/catalog.h"
#include "app/library/found_models.h"
#include "app/storage/lane.h"

namespace ingle::desktop {

class ModelOffers : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// "This computer: 8 GB, 5 GB free."; empty until that is known.
    Q_PROPERTY(QString computer READ computer NOTIFY changed)
    /// How old the list of models worth getting is: one sentence.
    Q_PROPERTY(QString age READ age NOTIFY changed)
    /// How many of the rows suit this computer best; see GoodRole. They come first, the smallest of them
    /// first.
    Q_PROPERTY(int numGood READ numGood NOTIFY changed)
  public:
    enum Role {
        NameRole = Qt::UserRole,
        SummaryRole,
        SectionRole,
        GoodRole,      ///< it is recommended
        SpeedRole,     ///< how fast it is foretold to be here; empty: not known
        PleasantRole,  ///< as fast as people read, or its speed is not known
        FileRole,      ///< the name of the file
        SizeRole,
        AddressRole,  ///< of the file itself
        PageRole,
        PathRole,
        AwaitedRole,  ///< its file is waited for in the downloads
    };

    /// `catalog`: the list of models worth getting; empty: none.
    ModelOffers(EngineClient& engine, Opener& opener, DesktopPortal& portal, std::string catalog,
                library::ModelPlaces places, QObject* parent = nullptr);

    QString computer() const;
    QString age() const;
    int numGood() const { return static_cast<int>(m_good.size()); }

    /// Reads the list, looks for models on this disk and asks about the computer, anew.
    Q_INVOKABLE void refresh();
    /// Has a browser get that file, which is opened once it is whole in the downloads.
    Q_INVOKABLE void get(const QString& file, const QString& address);
    Q_INVOKABLE void stopWaiting() { m_opener.setAwaited({}); }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void changed();

  private:
    QVariant catalogData(const library::CatalogModel& model, int role) const;
    QVariant foundData(const library::FoundModel& model, int role) const;
    void setOffers(library::Catalog catalog, std::vector<library::FoundModel> found);
    /// Which rows there are, and in which order.
    void chooseGood();
    bool isGood(const library::CatalogModel& model) const;

    library::ComputerSize computerSize() const {
        return {m_computer.usableBytes, m_computer.readBytesPerSecond};
    }

    EngineClient& m_engine;
    Opener& m_opener;
    DesktopPortal& m_portal;
    std::string m_catalogPath;
    library::ModelPlaces m_places;
    ComputerInfo m_computer;
    library::Catalog m_catalog;
    std::vector<library::FoundModel> m_found;
    std::vector<std::string> m_good;                    ///< names
    std::vector<const library::CatalogModel*> m_order;  ///< of the rows: the good ones, then the others
    storage::Lane m_looking;
};

}  // namespace ingle::desktop
