/// What an empty conversation says: how it stands with the model, and what can be done first.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/opener.h"

namespace ingle::desktop {

class StartPage : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString heading READ heading NOTIFY changed)
    Q_PROPERTY(QString text READ text NOTIFY changed)
    /// How a conversation could begin.
    Q_PROPERTY(QStringList starts READ starts NOTIFY changed)
    /// A start is a whole question; else its first words.
    Q_PROPERTY(bool startsAreWhole READ startsAreWhole NOTIFY changed)
    /// What the button that opens the models says; empty: there is no need for one.
    Q_PROPERTY(QString openModel READ openModel NOTIFY changed)
    /// Models that would do are worth showing.
    Q_PROPERTY(bool offersModels READ offersModels NOTIFY changed)
    Q_PROPERTY(bool loading READ loading NOTIFY changed)
  public:
    StartPage(const ModelInUse& models, const Opener& opener, QObject* parent = nullptr);

    QString heading() const;
    QString text() const;
    QStringList starts() const;
    bool startsAreWhole() const { return guides(); }
    QString openModel() const;
    bool offersModels() const { return guides() || waits(); }
    bool loading() const { return m_models.state() == ModelInUse::Loading; }

  signals:
    void changed();

  private:
    /// The model that ships with Inglenook is ready.
    bool guides() const;
    /// There is no model.
    bool waits() const;

    const ModelInUse& m_models;
    const Opener& m_opener;
};

}  // namespace ingle::desktop
