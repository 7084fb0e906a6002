// One quiet line: device, speed, context used, and why the engine does not run as asked.
import QtQuick
import Inglenook

Item {
    id: line

    required property AppModel app
    readonly property alias text: label.text

    objectName: "statusLine"
    implicitHeight: label.implicitHeight + Theme.s

    Text {
        id: label
        x: Theme.l + Theme.s
        width: parent.width - 2 * x
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize - 1
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        maximumLineCount: 3
        elide: Text.ElideRight
        horizontalAlignment: Text.AlignHCenter
        text: {
            const chat = line.app.chat;
            const models = line.app.models;
            const parts = [];
            if (models.fallback.length > 0)
                parts.push(models.fallback);
            if (models.state === ModelListModel.Ready && models.device.length > 0)
                parts.push(models.device);
            if (chat.tokensPerSecond > 0)
                parts.push(qsTr("%1 tokens per second").arg(chat.tokensPerSecond.toFixed(chat.tokensPerSecond < 10 ? 1 : 0)));
            if (chat.contextSize > 0 && chat.contextUsed > 0)
                parts.push(qsTr("context %1 of %2").arg(chat.contextUsed).arg(chat.contextSize));
            if (chat.promptNote.length > 0)
                parts.push(chat.promptNote);
            return parts.join("  ·  ");
        }
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
