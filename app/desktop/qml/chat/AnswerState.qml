// How an answer stands when it is not simply complete, and what can be done about it.
import QtQuick
import QtQuick.Layouts
import Inglenook

Column {
    id: line

    required property AppModel app
    required property double messageId
    required property int status
    required property string error
    required property string errorDetails
    required property bool empty
    required property bool canContinue

    readonly property string text: {
        switch (status) {
        case MessageListModel.Streaming:
            // Also in the middle of an answer, when it moves to another device.
            if (app.chat.promptFraction > 0 && app.chat.promptFraction < 1)
                return qsTr("Reading the conversation… %1%").arg(Math.round(app.chat.promptFraction * 100));
            if (app.chat.generation === ChatController.Waiting)
                return qsTr("Waiting for another answer…");
            return empty ? qsTr("Thinking…") : "";
        case MessageListModel.Stopped:
            return error.length > 0 ? error : qsTr("Stopped");
        case MessageListModel.Interrupted:
            return qsTr("Interrupted");
        case MessageListModel.Failed:
            return error;
        default:
            return "";
        }
    }

    RowLayout {
        width: line.width
        spacing: Theme.m

        Text {
            Layout.fillWidth: true
            text: line.text
            textFormat: Text.PlainText
            color: line.status === MessageListModel.Failed ? Theme.danger : Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        TextButton {
            objectName: "continueButton"
            visible: line.canContinue && line.status !== MessageListModel.Streaming && line.status !== MessageListModel.Complete
            text: qsTr("Continue")
            onClicked: line.app.chat.continueAnswer(line.messageId)
        }
    }
    ErrorDetails {
        objectName: "answerDetails"
        x: -Theme.xs
        width: line.width
        portal: line.app.portal
        words: line.errorDetails
    }
}
