/// What stands under the composer: what is being made, why things are not as they should be, how fast the
/// last answer was, and on a click all there is to know about what computes.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/background_work.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/opener.h"

namespace ingle::desktop {

class ChatStatus : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString text READ text NOTIFY changed)
    /// Which model answers, and how far it is.
    Q_PROPERTY(QString model READ model NOTIFY changed)
    Q_PROPERTY(bool modelFails READ modelFails NOTIFY changed)
    /// What is asked of it leaves this computer.
    Q_PROPERTY(bool leaves READ leaves NOTIFY changed)
    /// Of the model; 1: none is being loaded.
    Q_PROPERTY(double loadFraction READ loadFraction NOTIFY changed)
    /// Behind a click, a line each; empty: there is nothing to say.
    Q_PROPERTY(QStringList details READ details NOTIFY changed)
    /// What a person can read here, with a click or without.
    Q_PROPERTY(QString everything READ everything NOTIFY changed)
    /// How full the context is, 0 to 1; 0: not known, or without end.
    Q_PROPERTY(double contextShare READ contextShare NOTIFY changed)
  public:
    ChatStatus(const ChatController& chat, const ModelInUse& models, const Opener& opener,
               const BackgroundWork& work, QObject* parent = nullptr);

    QString text() const;
    QString model() const;
    bool modelFails() const;
    bool leaves() const { return m_models.isRemote(); }
    double loadFraction() const;
    QStringList details() const;
    QString everything() const { return (details() << text()).join("  ·  "); }
    double contextShare() const;

  signals:
    void changed();

  private:
    const ChatController& m_chat;
    const ModelInUse& m_models;
    const Opener& m_opener;
    const BackgroundWork& m_work;
};

}  // namespace ingle::desktop
