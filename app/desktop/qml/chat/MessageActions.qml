// What can be done with a message; quiet until the pointer or the keyboard is near.
import QtQuick
import Inglenook

FocusScope {
    id: actions

    required property AppModel app
    required property double messageId
    required property bool isUser
    required property bool last
    required property string messageText
    required property string modelName
    required property int newTokens
    required property double tokensPerSecond
    required property int siblingIndex
    required property int siblingCount
    required property bool busy
    required property bool revealed

    signal editRequested

    implicitWidth: row.implicitWidth
    implicitHeight: row.implicitHeight
    opacity: revealed || activeFocus ? 1 : 0

    Row {
        id: row
        spacing: Theme.xs

        Row {
            visible: actions.siblingCount > 1
            spacing: 0

            IconButton {
                iconName: "chevron-left"
                hint: qsTr("Previous version")
                enabled: actions.siblingIndex > 0 && !actions.busy
                onClicked: actions.app.chat.showSibling(actions.messageId, -1)
            }
            Text {
                textFormat: Text.PlainText
                anchors.verticalCenter: parent.verticalCenter
                text: (actions.siblingIndex + 1) + "/" + actions.siblingCount
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
            IconButton {
                iconName: "chevron-right"
                hint: qsTr("Next version")
                enabled: actions.siblingIndex + 1 < actions.siblingCount && !actions.busy
                onClicked: actions.app.chat.showSibling(actions.messageId, 1)
            }
        }
        IconButton {
            iconName: "copy"
            hint: qsTr("Copy")
            onClicked: actions.app.portal.copy(actions.messageText)
        }
        IconButton {
            visible: actions.isUser
            enabled: !actions.busy && !actions.app.chat.readOnly
            iconName: "pencil"
            hint: qsTr("Edit and ask again")
            onClicked: actions.editRequested()
        }
        IconButton {
            visible: !actions.isUser || (actions.last && !actions.busy)
            enabled: !actions.busy && !actions.app.chat.readOnly
            iconName: "refresh"
            hint: actions.isUser ? qsTr("Answer") : actions.app.actions.hint("regenerate")
            onClicked: actions.app.chat.regenerate(actions.messageId)
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            leftPadding: Theme.s
            visible: !actions.isUser
            text: {
                const model = actions.modelName;
                const speed = actions.tokensPerSecond;
                return speed > 0 ? qsTr("%1 · %2 tokens · %3 per second").arg(model).arg(actions.newTokens).arg(speed.toFixed(speed < 10 ? 1 : 0)) : model;
            }
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
        }
    }
}
