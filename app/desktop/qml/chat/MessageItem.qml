// One message: the person's words in a soft bubble, the answer as plain text on the page.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: message

    required property AppModel app
    required property bool last
    required property int index
    required property double messageId
    required property bool isUser
    required property string messageText
    required property BlockListModel blocks
    required property int status
    required property string error
    required property string errorDetails
    required property string modelName
    required property int newTokens
    required property double tokensPerSecond
    required property int siblingIndex
    required property int siblingCount
    required property bool forgottenAbove

    readonly property bool busy: app.chat.generation !== ChatController.Idle
    property bool editing: false

    signal editingDone

    onEditingChanged: if (!editing) editingDone()

    implicitHeight: column.implicitHeight
    Accessible.role: Accessible.ListItem
    Accessible.name: isUser ? qsTr("You: %1").arg(messageText) : qsTr("Answer: %1").arg(messageText)

    HoverHandler {
        id: hover
    }

    ColumnLayout {
        id: column
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth, parent.width - 2 * Theme.l)
        spacing: Theme.s

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            Layout.bottomMargin: Theme.l
            visible: message.forgottenAbove
            text: qsTr("The model no longer sees the messages above")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            font.italic: true
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
        }

        Loader {
            Layout.alignment: Qt.AlignRight
            Layout.maximumWidth: column.width * 0.88
            Layout.preferredWidth: message.editing ? column.width * 0.88 : -1
            active: message.isUser
            visible: active
            sourceComponent: UserBubble {
                text: message.messageText
                editing: message.editing
                maximumWidth: column.width * 0.88
                onCancelled: message.editing = false
                onAccepted: text => {
                    message.editing = false;
                    message.app.chat.edit(message.messageId, text);
                }
            }
        }

        Loader {
            Layout.fillWidth: true
            active: !message.isUser
            visible: active && message.messageText.length > 0
            sourceComponent: Column {
                Repeater {
                    model: message.blocks
                    delegate: MarkdownBlock {
                        app: message.app
                        width: column.width
                    }
                }
            }
        }

        AnswerState {
            Layout.fillWidth: true
            visible: !message.isUser && text.length > 0
            app: message.app
            messageId: message.messageId
            status: message.status
            error: message.error
            errorDetails: message.errorDetails
            empty: message.messageText.length === 0
            canContinue: message.last && !message.busy
        }

        MessageActions {
            Layout.alignment: message.isUser ? Qt.AlignRight : Qt.AlignLeft
            // The hidden row would leave a hole between question and answer.
            Layout.bottomMargin: message.isUser ? -Theme.l : 0
            app: message.app
            messageId: message.messageId
            isUser: message.isUser
            last: message.last
            messageText: message.messageText
            modelName: message.modelName
            newTokens: message.newTokens
            tokensPerSecond: message.tokensPerSecond
            siblingIndex: message.siblingIndex
            siblingCount: message.siblingCount
            busy: message.busy
            onEditRequested: message.editing = true
            revealed: hover.hovered || message.last
            visible: !message.editing && message.status !== MessageListModel.Streaming
        }
    }
}
