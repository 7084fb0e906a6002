// How an answer stands when it is not simply complete, and what can be done about it.
import QtQuick
import Inglenook

Item {
    id: row

    required property double messageId
    required property int status
    required property string error
    required property string errorDetails
    required property bool empty
    required property bool last

    readonly property ChatList list: ListView.view as ChatList
    readonly property string text: {
        if (!list)
            return "";
        switch (status) {
        case ChatRows.Streaming:
            // Also in the middle of an answer, when it moves to another device.
            if (list.chat.promptFraction > 0 && list.chat.promptFraction < 1)
                return qsTr("Reading the conversation… %1%").arg(Math.round(list.chat.promptFraction * 100));
            if (list.chat.generation === ChatController.Waiting)
                return qsTr("Waiting for another answer…");
            return empty ? qsTr("Thinking…") : "";
        case ChatRows.Stopped:
            return error.length > 0 ? error : qsTr("Stopped");
        case ChatRows.Interrupted:
            return qsTr("Interrupted");
        case ChatRows.Failed:
            return error;
        default:
            return "";
        }
    }
    readonly property bool canContinue: last && list && !list.busy && status !== ChatRows.Streaming

    width: ListView.view ? ListView.view.width : 0
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: visible = true
    height: text.length > 0 ? line.y + line.height + (details.item ? details.height : 0) : 0

    Text {
        id: line
        x: row.list ? row.list.columnX : 0
        y: row.empty ? 0 : Theme.s
        width: (row.list ? row.list.columnWidth : 0) - (row.canContinue ? button.width + Theme.m : 0)
        height: Math.max(implicitHeight, row.canContinue ? Theme.controlSize : 0)
        verticalAlignment: Text.AlignVCenter
        text: row.text
        textFormat: Text.PlainText
        color: row.status === ChatRows.Failed ? Theme.danger : Theme.mutedText
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    Loader {
        id: details
        x: line.x - Theme.xs
        y: line.y + line.height
        width: row.list ? row.list.columnWidth : 0
        active: row.errorDetails.length > 0
        sourceComponent: ErrorDetails {
            objectName: "answerDetails"
            portal: row.list.portal
            words: row.errorDetails
        }
    }
    TextButton {
        id: button
        objectName: "continueButton"
        visible: row.canContinue
        anchors.right: line.right
        anchors.rightMargin: -width - Theme.m
        anchors.verticalCenter: line.verticalCenter
        text: qsTr("Continue")
        onClicked: row.list.chat.continueAnswer(row.messageId)
    }
}
